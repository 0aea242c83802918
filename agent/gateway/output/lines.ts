import type { OutputBudget } from './budget.ts'

/** The maximum length of a line in bytes. The rest of a longer line is cut. */
export const longestLine = 8 * 1024

/**
 * The amount of dropped output that is kept. The last line is always kept, because a program's last output
 * often shows why it ended.
 */
const tail = { lines: 20, bytes: 4 * 1024 }

const lineFeed = 0x0a

/**
 * Limits one stream of output to its container's budget, line by line. A note after dropped lines reports how many
 * were dropped. At its end, the stream prints the last of the dropped lines.
 */
export class LimitedLines {
  readonly #budget: OutputBudget
  #line: Buffer = Buffer.alloc(0)
  #cut = 0
  #dropped = { lines: 0, bytes: 0 }
  #tail: Buffer[] = []

  constructor(budget: OutputBudget) {
    this.#budget = budget
  }

  /** @returns the complete lines that can be printed now; an incomplete line waits for its end */
  write(chunk: Buffer): Buffer {
    const printed: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      this.#gather(chunk.subarray(from, end))
      printed.push(...this.#endLine())
      from = end + 1
    }
    this.#gather(chunk.subarray(from))
    return Buffer.concat(printed)
  }

  /** @returns what is left to print when the program ends */
  end(): Buffer {
    const printed = this.#line.length > 0 ? this.#endLine() : []
    if (this.#dropped.lines === 0) return Buffer.concat(printed)
    const lines = this.#dropped.lines - this.#tail.length
    const bytes = this.#dropped.bytes - sizeOf(this.#tail)
    const last = lines > 0 ? [noteOf({ lines, bytes }), ...this.#tail] : this.#tail
    for (const { length } of last) this.#budget.count(length)
    this.#budget.countDropped(-this.#tail.length)
    this.#dropped = { lines: 0, bytes: 0 }
    this.#tail = []
    return Buffer.concat(last)
  }

  #gather(piece: Buffer): void {
    const room = longestLine - this.#line.length
    this.#cut += Math.max(0, piece.length - room)
    this.#line = Buffer.concat([this.#line, piece.subarray(0, room)])
  }

  #endLine(): Buffer[] {
    const [line, cut] = [this.#line, this.#cut]
    this.#line = Buffer.alloc(0)
    this.#cut = 0
    if (cut === 0) return this.#print(Buffer.concat([line, Buffer.of(lineFeed)]))
    // A character whose bytes were cut apart is left out.
    const text = new TextDecoder().decode(line, { stream: true })
    return this.#print(Buffer.from(`${text} … ${cut} bytes cut\n`))
  }

  #print(line: Buffer): Buffer[] {
    const dropsNone = this.#dropped.lines === 0
    if ((!dropsNone && !this.#budget.isRoomy) || !this.#budget.take(line.length)) {
      this.#drop(line)
      return []
    }
    if (dropsNone) return [line]
    const note = noteOf(this.#dropped)
    this.#budget.take(note.length)
    this.#dropped = { lines: 0, bytes: 0 }
    this.#tail = []
    return [note, line]
  }

  #drop(line: Buffer): void {
    this.#budget.countDropped(1)
    this.#dropped.lines += 1
    this.#dropped.bytes += line.length
    this.#tail.push(line)
    while (
      this.#tail.length > 1 &&
      (this.#tail.length > tail.lines || sizeOf(this.#tail) > tail.bytes)
    )
      this.#tail.shift()
  }
}

function sizeOf(lines: readonly Buffer[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0)
}

function noteOf({ lines, bytes }: { lines: number; bytes: number }): Buffer {
  return Buffer.from(
    `${lines} lines (${bytes} bytes) were dropped: the limit per minute is 1,200 lines and a million bytes\n`,
  )
}
