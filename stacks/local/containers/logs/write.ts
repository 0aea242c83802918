import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { segmentPath } from './segments.ts'

/** A task keeps at most two files of this many bytes. */
const longestFile = 10 * 1024 * 1024
/** Longer lines are split into pieces of this many characters. */
const longestLine = 16 * 1024

/**
 * The log of a task: each line of its output, prefixed with the ISO 8601 time of its arrival.
 *
 * Writes are synchronous, so a process that floods its output is slowed down instead of filling the engine's memory.
 */
export class LogFile {
  readonly #pathOf: (segment: number) => string
  readonly #clock: () => number
  readonly #flushes: (() => void)[] = []
  #segment = 0
  #file: number
  #size = 0
  #closed = false

  constructor(dir: string, taskId: string, clock: () => number) {
    this.#pathOf = (segment) => segmentPath(dir, taskId, segment)
    this.#clock = clock
    mkdirSync(dirname(this.#pathOf(0)), { recursive: true, mode: 0o700 })
    this.#file = openSync(this.#pathOf(0), 'a', 0o600)
  }

  /** Writes the lines of a stream until it ends. */
  take(stream: Readable): void {
    const decoder = new StringDecoder('utf8')
    let rest = ''
    const accept = (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      const cut = rest.length - (rest.length % longestLine)
      if (cut > 0) {
        lines.push(rest.slice(0, cut))
        rest = rest.slice(cut)
      }
      this.#write(lines)
    }
    stream.on('data', (chunk: Buffer) => accept(decoder.write(chunk)))
    this.#flushes.push(() => {
      accept(decoder.end())
      if (rest !== '') this.#write([rest])
    })
  }

  /** Writes an incomplete last line and closes the log. Later output is discarded. */
  close(): void {
    for (const flush of this.#flushes) flush()
    this.#closed = true
    closeSync(this.#file)
  }

  #write(lines: string[]): void {
    if (lines.length === 0 || this.#closed) return
    const at = new Date(this.#clock()).toISOString()
    const text = lines
      .flatMap((line) => toPieces(line.replace(/\r$/, '')))
      .map((piece) => `${at} ${piece}\n`)
      .join('')
    if (this.#size > 0 && this.#size + text.length > longestFile) this.#rotate()
    this.#size += writeSync(this.#file, text)
  }

  #rotate(): void {
    closeSync(this.#file)
    this.#segment += 1
    this.#file = openSync(this.#pathOf(this.#segment), 'a', 0o600)
    this.#size = 0
    rmSync(this.#pathOf(this.#segment - 2), { force: true })
  }
}

function toPieces(line: string): string[] {
  if (line.length <= longestLine) return [line]
  return Array.from({ length: Math.ceil(line.length / longestLine) }, (_, index) =>
    line.slice(index * longestLine, (index + 1) * longestLine),
  )
}
