// Reads a vault with KeePass's own library (Debian's keepass2, through mono), and writes it out as
// KeePass's plain XML, and, where asked, saves it again as KDBX as KeePass does.
//
// usage: mono Judge.exe VAULT XML KEYFILE|- [COPY]
// The password comes on standard input as hexadecimal digits, `-` for none. Says `opened`, or
// `refused: TYPE: MESSAGE`. Built by scripts/build-judge.

using System;
using System.IO;

using KeePassLib;
using KeePassLib.Interfaces;
using KeePassLib.Keys;
using KeePassLib.Serialization;

internal static class Judge
{
    private static byte[] Bytes(string digits)
    {
        var bytes = new byte[digits.Length / 2];
        for (int i = 0; i < bytes.Length; ++i)
            bytes[i] = Convert.ToByte(digits.Substring(2 * i, 2), 16);
        return bytes;
    }

    private static CompositeKey Key(string password, string keyFile)
    {
        var key = new CompositeKey();
        if (password != "-") key.AddUserKey(new KcpPassword(Bytes(password)));
        if (keyFile != "-") key.AddUserKey(new KcpKeyFile(keyFile));
        return key;
    }

    private static void Write(PwDatabase vault, string path)
    {
        using (var stream = new FileStream(path, FileMode.Create))
            new KdbxFile(vault).Save(stream, null, KdbxFormat.PlainXml, new NullStatusLogger());
    }

    internal static int Main(string[] arguments)
    {
        try
        {
            var key = Key(Console.In.ReadLine(), arguments[2]);
            var vault = new PwDatabase();
            vault.Open(IOConnectionInfo.FromPath(arguments[0]), key, new NullStatusLogger());
            Write(vault, arguments[1]);
            if (arguments.Length > 3)
                vault.SaveAs(IOConnectionInfo.FromPath(arguments[3]), false, new NullStatusLogger());
            Console.WriteLine("opened");
            return 0;
        }
        catch (Exception fault)
        {
            string message = fault.Message.Replace('\r', ' ').Replace('\n', ' ');
            Console.WriteLine("refused: " + fault.GetType().Name + ": " + message);
            return 1;
        }
    }
}
