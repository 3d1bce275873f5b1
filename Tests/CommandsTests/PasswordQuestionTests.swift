import Testing

@testable import Commands

@Suite struct PasswordQuestionTests {
  @Test(arguments: [
    "Password: ", "password:", "[sudo] password for alice: ", "[sudo] password for new: ",
    "[sudo] password for pin:", "[sudo] Passwort für alice: ", "[sudo] Mot de passe de alice : ",
    "[sudo] contraseña para alice: ", "[sudo] пароль для alice: ", "[sudo] alice のパスワード: ",
    "Enter passphrase: ", "Enter old passphrase: ", "Current password: ",
    "Enter your UNIX password:\n", "PASSWORD",
  ])
  func `a password that is there may be given`(question: String) {
    #expect(PasswordQuestion.asksForKnown(Array(question.utf8)))
  }

  @Test(arguments: [
    "", " ", "PIN: ", "Username: ", "login: ", "OTP: ", "Secret: ", "Allow? ", "Retype password: ",
    "New password: ", "Password (again): ", "Repeat password: ", "Re-enter password: ",
    "Verify password: ", "Confirm password: ", "Enter new passphrase: ",
    "Enter passphrase (empty for no passphrase): ", "Enter same passphrase again: ",
    "Enter passphrase for \"/k\" (empty for no passphrase): ", "Choose a password: ",
    "Bad passphrase, try again for /k: ", "One-time password: ", "One-time password (OTP): ",
    "Password and PIN: ", "Password + token: ", "Password or code: ", "Save the password? ",
    "Forget the password [y/N]: ", "Go on (yes/no)? ", "Password for 'https://git.example.org': ",
    "Username for password store: ", "[sudo] password for alice: New password: ",
    "[sudo] password for the new one: ",
  ])
  func `anything else is for a person`(question: String) {
    #expect(!PasswordQuestion.asksForKnown(Array(question.utf8)))
  }
}
