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

complete -c kdbxfs -n __fish_is_first_arg -a '(__kdbxfs_commands)'
complete -c kdbxfs -n 'string match -q -- "-*" (commandline -ct)' -a '(__kdbxfs_options)'
complete -c kdbxfs -n '__fish_seen_subcommand_from umount save status log diff lock unlock' -f -a '(__kdbxfs_mounts)'
complete -c kdbxfs -n '__fish_seen_subcommand_from git-credential' -f -a 'get store erase'
complete -c kdbxfs -n '__fish_prev_arg_in --mount -m' -f -a '(__kdbxfs_mounts)'
