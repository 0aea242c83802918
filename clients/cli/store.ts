import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** What opens a platform: a key, or tokens of a device that was let in. */
export interface Access {
  apiKey: string
  /** For the next token, where `apiKey` is one that ends. */
  refresh?: { token: string; clientId: string; expiresAt: string }
}

interface Stored {
  /** The address of the platform that is meant where none is named. */
  current?: string
  /** By the address of the platform. */
  access: Record<string, Access>
}

/** What the command line keeps: `$XDG_CONFIG_HOME/agents/config.json`, for its owner alone. */
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

  /** Keeps what opens a platform; null forgets it. */
  keep(url: string, access: Access | null): void {
    const stored = this.read()
    const { [url]: _, ...others } = stored.access
    const next = access === null ? others : { ...others, [url]: access }
    const text = JSON.stringify({ current: url, access: next } satisfies Stored, null, 2)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const temporary = `${this.#file}.${randomUUID()}`
    writeFileSync(temporary, `${text}\n`, { mode: 0o600 })
    renameSync(temporary, this.#file)
  }
}
