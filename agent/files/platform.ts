import * as z from 'zod'
import { FilesError, LinkExpired, Throttled, withRetries } from './retry.ts'
import {
  committedSchema,
  linksSchema,
  type Opened,
  openedSchema,
  packsSchema,
  type Part,
} from './wire.ts'

/** The timeout of a request to the platform, and of one to the store for at most 8 MiB, in milliseconds. */
const askMs = 35_000
const transferMs = 120_000

const attempts = 6
/** A container that ends has no time for long pauses. */
const attemptsAtEnd = 2

const refusal = z.looseObject({ error: z.string().default(''), code: z.string().default('') })

/** The statuses of a request that may succeed later. */
const temporary = (status: number) => status === 408 || status >= 500

export interface PlatformOptions {
  /** An address of the platform's backend; only its origin counts. */
  baseUrl: URL
  apiKey: string
  generation: number
}

export interface Commit {
  /** The version that the change started from. */
  base: number
  root: Part | null
  bytes: number
  files: number
  /** The last commit of a container. */
  release?: true
}

/** The platform's store of this agent's files. Each request is repeated if it fails for a temporary reason. */
export class FilesPlatform {
  readonly #options: PlatformOptions
  #isEnding = false

  constructor(options: PlatformOptions) {
    this.#options = options
  }

  /** From now on, a request is repeated only once, and new packs are for the last commit of this container. */
  end(): void {
    this.#isEnding = true
  }

  #attempts(): number {
    return this.#isEnding ? attemptsAtEnd : attempts
  }

  /** Registers this container as the holder of the files. @throws FilesError FILES_HELD */
  open(): Promise<Opened> {
    return this.#ask('open', {}, openedSchema)
  }

  /** @returns links to read packs, and their expiry in epoch milliseconds */
  links(packs: readonly string[]) {
    return this.#ask('links', { packs }, linksSchema)
  }

  /** @param packs the sizes of new packs in bytes @returns links to store them @throws FilesError STORAGE_LIMIT_REACHED */
  async packs(packs: readonly { bytes: number }[]) {
    return this.#ask('packs', { packs, ...(this.#isEnding && { release: true }) }, packsSchema)
  }

  /** @returns the new version @throws FilesError FILES_CHANGED if another commit was first, FILES_HELD */
  async commit(commit: Commit): Promise<number> {
    return (await this.#ask('commit', commit, committedSchema)).version
  }

  /** Reads a part of a pack. @throws LinkExpired if the link is no longer valid */
  read(url: string, offset: number, length: number): Promise<Buffer> {
    return withRetries(
      () => this.#attempts(),
      async () => {
        const range = `bytes=${offset}-${offset + length - 1}`
        const answer = await fetch(url, { headers: { range }, ...transferOptions() })
        const bytes = Buffer.from(await answer.arrayBuffer())
        refuseExpired(answer.status)
        if (answer.status === 404) throw new FilesError('PACK_MISSING', 'a pack does not exist')
        if (answer.status !== 206 && !(answer.status === 200 && offset === 0))
          throw new Error(`the store responded with ${answer.status}`)
        if (bytes.length < length) throw new Error('the store returned a part of the bytes')
        return bytes.length === length ? bytes : bytes.subarray(0, length)
      },
    )
  }

  /** Stores a pack. @throws LinkExpired if the link is no longer valid */
  store(link: { url: string; method: string; headers: Record<string, string> }, bytes: Buffer) {
    return withRetries(
      () => this.#attempts(),
      async () => {
        const { url, method, headers } = link
        const answer = await fetch(url, { method, headers, body: bytes, ...transferOptions() })
        await answer.body?.cancel()
        // The pack exists: an earlier attempt stored it and its response was lost.
        if (answer.ok || answer.status === 412) return
        refuseExpired(answer.status)
        throw new Error(`the store responded with ${answer.status}`)
      },
    )
  }

  #ask<T>(verb: string, body: object, schema: z.ZodType<T>): Promise<T> {
    const { baseUrl, apiKey, generation } = this.#options
    return withRetries(
      () => this.#attempts(),
      async () => {
        const answer = await fetch(new URL(`/api/agent-files/${verb}`, baseUrl), {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ generation, ...body }),
          redirect: 'error',
          signal: AbortSignal.timeout(askMs),
        })
        const text = await answer.text()
        if (answer.ok) return schema.parse(JSON.parse(text))
        if (answer.status === 429)
          throw new Throttled(1000 * Number(answer.headers.get('retry-after') ?? 1))
        const { error, code } = refusal.catch({ error: '', code: '' }).parse(jsonOf(text))
        const message = `the platform responded with ${answer.status} ${code} ${error}`.trimEnd()
        if (temporary(answer.status)) throw new Error(message)
        // The key of an earlier container, or of a task that ended.
        if (answer.status === 401) throw new FilesError('FILES_HELD', message)
        throw new FilesError(code, message)
      },
    )
  }
}

function transferOptions() {
  return { redirect: 'error' as const, signal: AbortSignal.timeout(transferMs) }
}

function refuseExpired(status: number): void {
  if (status === 400 || status === 401 || status === 403 || status === 410)
    throw new LinkExpired(`the store responded with ${status}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
