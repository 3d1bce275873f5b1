import Testing

@testable import VaultTree

@Suite struct VariableNamesTests {
  private func names(_ keys: [String]) -> [String] {
    VariableNames.names(for: keys.map { Array($0.utf8) }).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("PIN", "PIN"), ("api_key", "api_key"), ("_x9", "_x9"),
    ("Recovery codes", "Recovery_codes"), ("a-b.c", "a_b_c"), ("2fa", "_2fa"),
    ("Schlüssel", "Schl_ssel"), ("鍵", "__"), ("", "__"), ("a\n'b", "a__b"),
  ])
  func `a key becomes a name that a shell takes`(key: String, name: String) {
    #expect(names([key]) == [name])
  }

  @Test(arguments: [
    "PATH", "IFS", "ENV", "BASH_ENV", "LD_PRELOAD", "UID", "PS1", "PROMPT_COMMAND", "HOME", "_",
  ])
  func `what the shell itself uses is left to it`(key: String) {
    #expect(names([key]) == ["_" + key])
  }

  @Test func `of several with one name the one whose key it is keeps it`() {
    #expect(names(["a b", "a_b", "a-b"]) == ["a_b_2", "a_b", "a_b_3"])
    #expect(names(["a b", "a-b"]) == ["a_b", "a_b_2"])
    #expect(names(["a b", "a_b", "a_b_2", "a.b"]) == ["a_b_3", "a_b", "a_b_2", "a_b_4"])
    #expect(
      names(["password", "pass word", "pass-word"]) == ["password", "pass_word", "pass_word_2"])
  }
}
