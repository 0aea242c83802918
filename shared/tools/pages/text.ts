/** Collapses white space to single spaces and trims the ends. */
export function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Returns the beginning of a collapsed text, without splitting a surrogate pair. */
export function beginning(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isHalf ? max - 1 : max).trimEnd()
}

const isSpace = /\s/

/** Counts the words of a text that arrives in pieces. A word may continue in the next piece. */
export class WordCounter {
  count = 0
  #inWord = false

  /** Ends the current word. */
  end(): void {
    this.#inWord = false
  }

  add(text: string): void {
    let { count } = this
    let inWord = this.#inWord
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      const space =
        code <= 0x20 ? code === 0x20 || (code >= 9 && code <= 13) : code >= 0xa0 && isWide(code)
      if (!space && !inWord) count++
      inWord = !space
    }
    this.count = count
    this.#inWord = inWord
  }
}

/** Reports white space beyond ASCII, as defined by regular expressions. */
function isWide(code: number): boolean {
  return (
    code === 0xa0 || (code >= 0x1680 && code <= 0xfeff && isSpace.test(String.fromCharCode(code)))
  )
}
