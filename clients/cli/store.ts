import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Access to a platform: an API key, or the tokens of a device that was authorized. */
export interface Access {
  apiKey: string
  /** Present if `apiKey` is an access token, which expires. */
  refresh?: { token: string; clientId: string; expiresAt: string }
}

interface Stored {
  /** The default platform: the address of the last sign-in. */
  current?: string
  /** Key: address of the platform. */
  access: Record<string, Access>
}

/** A lock older than this was left by a killed process, in milliseconds. */
const lockMs = 30_000

/** The stored sign-ins: `$XDG_CONFIG_HOME/agents/config.json`, readable by its owner only. */
export class Store {
  readonly #folder: string
  readonly #file: string

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#folder = join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'agents')
    this.#file = join(this.#folder, 'config.json')
  }

  read(): Stored {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Stored
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { access: {} }
      throw new Error(`${this.#file} cannot be read`, { cause: error })
    }
  }

  /** Stores the access to a platform; null deletes it. */
  keep(url: string, access: Access | null): void {
    const stored = this.read()
    const { [url]: _, ...others } = stored.access
    const next = access === null ? others : { ...others, [url]: access }
    const text = JSON.stringify({ current: url, access: next } satisfies Stored, null, 2)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const temporary = `${this.#file}.${crypto.randomUUID()}`
    writeFileSync(temporary, `${text}\n`, { mode: 0o600 })
    renameSync(temporary, this.#file)
  }

  /** Runs work under a lock, so that only one process of this user runs it at a time. @throws the signal's reason */
  async alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lock = join(this.#folder, 'lock')
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    while (!tryLock(lock)) await pause(50, undefined, { signal })
    try {
      return await work()
    } finally {
      rmSync(lock, { force: true })
    }
  }
}

/** Takes the lock if it is free. @returns whether it was taken */
function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > lockMs) rmSync(lock, { force: true })
    return false
  }
}
