import Secrets
import Testing

@testable import Generation

@Suite struct CharacterTests {
  static func password(_ recipe: CharacterRecipe) -> [UInt8] {
    recipe.generate().withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  static func recipe(_ change: (inout CharacterRecipe) -> Void) -> CharacterRecipe {
    var recipe = CharacterRecipe()
    change(&recipe)
    return recipe
  }

  @Test(arguments: [1, 3, 4, 24, 300, 1024])
  func `it has its length, and each kind where there is room`(length: Int) {
    let recipe = Self.recipe { $0.length = length }
    for _ in 0..<50 {
      let password = Self.password(recipe)
      #expect(password.count == length)
      guard length >= 4 else { continue }
      for kind in CharacterRecipe.Class.allCases {
        #expect(password.contains { kind.characters.contains($0) })
      }
    }
    #expect(Self.password(Self.recipe { $0.length = 24 }) != Self.password(CharacterRecipe()))
  }

  @Test func `only what was asked for is in it`() {
    let digits = Self.recipe {
      $0.classes = [.digits]
      $0.length = 500
    }
    #expect(Self.password(digits).allSatisfy { (0x30...0x39).contains($0) })
    let clear = Self.recipe {
      $0.avoidsLookAlikes = true
      $0.length = 1000
    }
    #expect(Self.password(clear).allSatisfy { !"0O1Il|8B6G5S2Z".utf8.contains($0) })
  }

  /// All passwords of two characters from two kinds, counted one by one.
  @Test func `the strength is the number of passwords that it may be`() {
    let recipe = Self.recipe {
      $0.classes = [.digits, .lower]
      $0.length = 2
    }
    // A digit and a letter, in either order.
    #expect(abs(exp2(recipe.bits) - Double(2 * 10 * 26)) < 1e-6)
    let one = Self.recipe {
      $0.classes = [.digits]
      $0.length = 4
    }
    #expect(abs(exp2(one.bits) - 10_000) < 1e-6)
    let short = Self.recipe { $0.length = 1 }
    #expect(abs(exp2(short.bits) - 90) < 1e-9)
    #expect((150..<156).contains(CharacterRecipe().bits))
  }

  private func exp2(_ bits: Double) -> Double {
    var value = 1.0
    let whole = Int(bits)
    for _ in 0..<whole { value *= 2 }
    // The rest by its series.
    let x = (bits - Double(whole)) * 0.693147180559945309
    var term = 1.0
    var sum = 1.0
    for i in 1..<30 {
      term *= x / Double(i)
      sum += term
    }
    return value * sum
  }
}

@Suite struct RandomPickerTests {
  /// Chi-squared over 200,000 picks; a fair die fails once in ten million runs, one that takes bytes
  /// modulo the bound always.
  @Test(arguments: [6, 90, 200])
  func `each number is as likely as any other`(bound: Int) {
    var picker = RandomPicker()
    var counts = [Int](repeating: 0, count: bound)
    let rounds = 1000 * bound
    for _ in 0..<rounds { counts[picker.pick(below: bound)] += 1 }
    let expected = Double(rounds) / Double(bound)
    let chi = counts.reduce(0.0) { sum, count in
      let difference = Double(count) - expected
      return sum + difference * difference / expected
    }
    let freedom = Double(bound - 1)
    // Wilson and Hilferty: the cube root is nearly normal; 5.2 deviations.
    let shift = 1 - 2 / (9 * freedom) + 5.2 * (2 / (9 * freedom)).squareRoot()
    #expect(chi < freedom * shift * shift * shift)
  }

  @Test func `the bounds are kept`() {
    var picker = RandomPicker()
    for _ in 0..<100 { #expect(picker.pick(below: 1) == 0) }
    let large = (0..<2000).map { _ in picker.pick(below: 1 << 16) }
    #expect(large.allSatisfy { (0..<1 << 16).contains($0) })
    #expect(large.contains { $0 > 1 << 15 } && large.contains { $0 < 1 << 15 })
  }
}

@Suite struct WordTests {
  @Test func `EFF's list is whole`() {
    #expect(WordList.own.count == 7776)
    #expect(WordList.own[0] == Array("abacus".utf8))
    #expect(WordList.own[7775] == Array("zoom".utf8))
    // As one reads it that takes nothing for granted.
    let text = (0..<7776).flatMap { WordList.own[$0] + [UInt8(ascii: "\n")] }
    #expect(WordList(text: text) == .own)
  }

  @Test func `words come from the list, with the separator between them`() {
    var recipe = WordRecipe()
    recipe.count = 9
    recipe.separator = Array(". ".utf8)
    let words = Set((0..<7776).map { WordList.own[$0] })
    let password = recipe.generate().withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    let parts = password.split(separator: ". ")
    #expect(parts.count == 9)
    #expect(parts.allSatisfy { words.contains(Array($0.utf8)) })
    #expect((116.0..<117).contains(recipe.bits))
  }

  @Test func `a list is read line by line, a word once`() throws {
    let lines =
      (0..<1000).map { "\($0)\tword\($0)" } + ["# no word", "", "1 word5", "  word1000\r"]
    let list = try #require(WordList(text: Array(lines.joined(separator: "\n").utf8)))
    #expect(list.count == 1001)
    #expect(list[1000] == Array("word1000".utf8))
  }

  @Test func `a short list is refused`() {
    #expect(WordList(text: Array("a\nb\nc\n".utf8)) == nil)
    #expect(WordList(text: []) == nil)
  }
}
