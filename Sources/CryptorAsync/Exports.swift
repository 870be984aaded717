@_exported public import CryptorFiles
