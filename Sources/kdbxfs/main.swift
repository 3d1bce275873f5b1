print("kdbxfs")
