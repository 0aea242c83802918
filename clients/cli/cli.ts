import type { Interface } from 'node:readline/promises'
import { type Input, type Method, Platform } from '../typescript/index.ts'
import { ActionRequired, CommandError, exitCodes } from './failure.ts'
import { downloadTo } from './files/download.ts'
import { jsonLine, printable } from './printable.ts'
import { Store } from './store.ts'
import { tableOf } from './table.ts'
import { renewed } from './tokens.ts'

export interface CommonFlags {
  json: boolean
  url?: string | undefined
}

/** The context of every command: the store, the client of the API, and the input and output. */
export class Cli {
  readonly process: NodeJS.Process
  readonly store: Store
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  exitCode: number = exitCodes.done

  constructor(process: NodeJS.Process, signal: AbortSignal) {
    this.process = process
    this.signal = signal
    this.store = new Store(process.env)
  }

  /** Returns the platform's address: from `--url`, PLATFORM_URL, the last sign-in, or this machine, in that order. */
  urlOf({ url }: CommonFlags): string {
    const named = url ?? this.process.env.PLATFORM_URL ?? this.store.read().current
    return (named ?? 'http://localhost:3000').replace(/\/+$/, '')
  }

  /** Returns an API key or an access token that is valid now. @throws CommandError if the user is not signed in */
  async apiKey(flags: CommonFlags): Promise<string> {
    const baseUrl = this.urlOf(flags)
    const apiKey =
      this.process.env.PLATFORM_API_KEY || (await renewed(this.store, baseUrl, this.signal))
    if (apiKey === undefined)
      throw new CommandError(exitCodes.notSignedIn, `Not signed in at ${baseUrl}`, 'agents login')
    return apiKey
  }

  /** Returns a client that acts as the signed-in user. @throws CommandError if the user is not signed in */
  async platform(flags: CommonFlags): Promise<Platform> {
    return new Platform({ baseUrl: this.urlOf(flags), apiKey: await this.apiKey(flags) })
  }

  /** Sends any operation and returns the whole response body. */
  async ask<T = Record<string, unknown>>(
    flags: CommonFlags,
    operation: `${Method} /${string}`,
    input: Input = {},
    timeoutMs?: number,
  ): Promise<T> {
    const platform = await this.platform(flags)
    // Operations that take no Idempotency-Key ignore it.
    const idempotencyKey = operation.startsWith('POST') ? crypto.randomUUID() : undefined
    return platform.request<T>(operation, input, { signal: this.signal, idempotencyKey, timeoutMs })
  }

  /** Opens a file of any size. */
  async openFile(path: string): Promise<Blob> {
    const { openAsBlob } = await import('node:fs')
    return openAsBlob(path)
  }

  /** Writes the body of a response of any size to a file, which is complete or unchanged. @returns its size in bytes */
  async saveFile(path: string, answer: Response): Promise<number> {
    return downloadTo(answer, path)
  }

  /** Writes text to standard output. Agents and other users may have written it, so control characters are replaced. */
  write(text: string): void {
    this.process.stdout.write(printable(text))
  }

  /** Writes a line to standard output, for people. */
  out(line: string): void {
    this.write(`${line}\n`)
  }

  /** Writes a line to standard error, for people: progress, questions and errors. */
  say(line: string): void {
    this.process.stderr.write(printable(`${line}\n`))
  }

  /** Writes a line to standard output unchanged, for programs. */
  data(line: string): void {
    this.process.stdout.write(`${line}\n`)
  }

  /** Writes bytes to standard output unchanged. */
  bytes(bytes: Uint8Array): void {
    this.process.stdout.write(bytes)
  }

  json(value: unknown): void {
    this.out(jsonLine(value))
  }

  /** Prints the response as JSON with `--json`, else as text. */
  show(flags: CommonFlags, answer: unknown, words: () => string): void {
    if (flags.json) this.json(answer)
    else this.out(words())
  }

  /** Prints a list as a JSON array with `--json`, else as a table. */
  list(flags: CommonFlags, rows: unknown, columns: readonly string[]): void {
    const items = (rows ?? []) as Record<string, unknown>[]
    if (flags.json) this.json(items)
    else this.out(tableOf(items, columns, this.process.stdout.isTTY === true))
  }

  get isInteractive(): boolean {
    return this.process.stdin.isTTY === true && this.process.stdout.isTTY === true
  }

  /** Reads lines from the terminal. readline consumes Ctrl-C, so it is sent on to the process. */
  async lines(): Promise<Interface> {
    const { createInterface } = await import('node:readline/promises')
    const { stdin, stderr, pid } = this.process
    const lines = createInterface({ input: stdin, output: stderr })
    lines.on('SIGINT', () => this.process.kill(pid, 'SIGINT'))
    this.signal.addEventListener('abort', () => lines.close())
    return lines
  }

  async question(words: string): Promise<string> {
    const lines = await this.lines()
    try {
      return (await lines.question(words, { signal: this.signal })).trim()
    } finally {
      lines.close()
    }
  }

  /** @throws CommandError if the user declines; ActionRequired if there is no terminal to ask at */
  async confirm(yes: boolean, what: string, command: string): Promise<void> {
    if (yes) return
    if (!this.isInteractive) throw new ActionRequired(`${what} needs --yes`, `${command} --yes`)
    if (!/^y/i.test(await this.question(`${what}? [y/N] `)))
      throw new CommandError(exitCodes.failed, 'Nothing was changed')
  }

  /** Reads standard input to its end. */
  async inputBytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { arrayBuffer } = await import('node:stream/consumers')
    return new Uint8Array(await arrayBuffer(this.process.stdin))
  }

  /** Reads standard input to its end, without the last line break. */
  async input(): Promise<string> {
    const { text } = await import('node:stream/consumers')
    return (await text(this.process.stdin)).replace(/\r?\n$/, '')
  }
}
