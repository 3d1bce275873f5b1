# Completion of kdbxfs for fish: commands, options, mounted vaults, files.

function __kdbxfs_commands
    kdbxfs --help 2>/dev/null | string replace -rf '^ +kdbxfs ([a-z-]+).*' '$1' | sort -u
end

function __kdbxfs_options
    # A command's own options; of a vault or a file that stands there, all.
    kdbxfs (commandline -opc | string match -v -- '-*')[2] --help 2>/dev/null | string match -ar -- '--[a-z][a-z-]+' | sort -u
end

function __kdbxfs_mounts
    string replace -rf '^(?:\S+ ){4}(\S+) .* - fuse\.kdbxfs .*' '$1' </proc/self/mountinfo | string unescape --style=script
end

# The vaults that have a name.
function __kdbxfs_names
    set -l folder $HOME/.config
    set -q XDG_CONFIG_HOME; and set folder $XDG_CONFIG_HOME
    set -l files $folder/kdbxfs/*.conf
    string replace -r '.*/(.*)\.conf$' '$1' -- $files
end

# Paths from the root of the only mount; those into a mount are files. What is typed may be NAME=PATH.
function __kdbxfs_paths
    set -l places (__kdbxfs_mounts)
    test (count $places) -eq 1; or return
    set -l word (commandline -ct | string unescape)
    set -l before (string match -r '^[A-Za-z_0-9]+=' -- $word)
    set -l start $places[1]/(string replace -- "$before" '' $word)
    for path in $start*
        set -l name (string sub -s (math (string length -- $places[1]) + 2) -- $path)
        test -d $path; and set name $name/
        echo "$before$name"
    end
end

# What lies in the bin, whose own name may be left out.
function __kdbxfs_binned
    kdbxfs purge -n 2>/dev/null | string replace -r '.*/' ''
end

# One more of a list with commas.
function __kdbxfs_list
    set -l before (string match -r '.*,' -- (commandline -ct))
    for choice in $argv
        echo "$before$choice"
    end
end

function __kdbxfs_mount_options
    kdbxfs mount --help 2>/dev/null | string match -ar -- '--[a-z][a-z-]+' | string replace -- -- '' | sort -u
end

complete -c kdbxfs -n __fish_is_first_arg -a '(__kdbxfs_commands)'
complete -c kdbxfs -n 'string match -q -- "-*" (commandline -ct)' -a '(__kdbxfs_options)'
complete -c kdbxfs -n '__fish_seen_subcommand_from mount' -a '(__kdbxfs_names)'
complete -c kdbxfs -n '__fish_seen_subcommand_from umount save status log diff lock unlock' -f -a '(__kdbxfs_mounts; __kdbxfs_names)'
complete -c kdbxfs -n '__fish_seen_subcommand_from totp set edit new rm mv revert clip' -a '(__kdbxfs_paths)'
complete -c kdbxfs -n '__fish_seen_subcommand_from restore purge' -a '(__kdbxfs_binned)'
complete -c kdbxfs -n '__fish_seen_subcommand_from generate' -f -a words
complete -c kdbxfs -n '__fish_seen_subcommand_from git-credential' -f -a 'get store erase'
complete -c kdbxfs -n '__fish_prev_arg_in --mount -m' -f -a '(__kdbxfs_mounts; __kdbxfs_names)'
complete -c kdbxfs -n '__fish_prev_arg_in --env --field --to' -a '(__kdbxfs_paths)'
complete -c kdbxfs -n '__fish_prev_arg_in --kdf' -f -a 'argon2id argon2d aes'
complete -c kdbxfs -n '__fish_prev_arg_in --on-idle' -f -a 'lock unmount'
complete -c kdbxfs -n '__fish_prev_arg_in --classes' -f -a '(__kdbxfs_list lower upper digits symbols)'
complete -c kdbxfs -n '__fish_prev_arg_in -o' -f -a '(__kdbxfs_list (__kdbxfs_mount_options))'
