import type { Directory } from './directory.ts'
import type { FilesPlatform } from './platform.ts'
import { FilesError, reasonOf } from './retry.ts'
import type { Omitted } from './scan.ts'
import { type Restored, type RestoreOptions, restoreFiles } from './start.ts'
import type { Syncer } from './sync.ts'

/** The pause between two scans of everything, in milliseconds. A crash loses at most the changes of this time. */
const everyMs = 60_000

export interface FilesOptions extends RestoreOptions {
  /** Called once a later container has the files, so that this one must end. */
  onHeld: () => void
  scanEveryMs?: number
}

/** The agent's files, which stay when its container ends. */
export class Files {
  readonly #options: FilesOptions
  readonly #root: Directory
  readonly #platform: FilesPlatform
  readonly #syncer: Syncer
  /** The runs that wait for their turn, by path. */
  readonly #waiting = new Map<string, Promise<number>>()
  #last: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #isClosed = false
  #isHeld = false
  #lastLine = ''

  private constructor(options: FilesOptions, { root, platform, syncer }: Restored) {
    this.#options = options
    this.#root = root
    this.#platform = platform
    this.#syncer = syncer
  }

  /** Restores the files. @throws FilesError if the platform refuses; any error if they cannot be restored */
  static async restore(options: FilesOptions): Promise<Files> {
    return new Files(options, await restoreFiles(options))
  }

  /** Stores changes now and every minute. */
  watch(): void {
    void this.#scan()
  }

  async #scan(): Promise<void> {
    await this.sync().catch(() => {})
    const { scanEveryMs = everyMs } = this.#options
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#scan(), scanEveryMs).unref()
  }

  /**
   * Brings the disk and the platform to the same state. Calls for the same path share a run that has not begun.
   * @param names a file, or a folder whose direct entries count; undefined for everything
   * @returns the version of the files
   * @throws Error if the platform cannot be reached, or the container ends
   */
  sync(names?: readonly string[]): Promise<number> {
    const key = names?.join('/') ?? ''
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) return waiting
    const run = this.#afterOthers(async () => {
      this.#waiting.delete(key)
      if (this.#isClosed) throw new Error('the container ends')
      return this.#run(names)
    })
    this.#waiting.set(key, run)
    return run
  }

  /** Stores the last changes. The program that writes files has ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#platform.end()
    await this.#afterOthers(async () => {
      if (!this.#isHeld) await this.#run(undefined, true)
    }).catch(() => {})
    await this.#root[Symbol.asyncDispose]()
  }

  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => {})
    return run
  }

  async #run(names: readonly string[] | undefined, release = false): Promise<number> {
    try {
      const { version, omitted } = await this.#syncer.run(names, release)
      if (names === undefined) this.#logOnce(describe(omitted))
      return version
    } catch (error) {
      const isAgain = release ? '' : ', the next scan tries again'
      this.#logOnce(`cannot be stored${isAgain}: ${reasonOf(error)}`)
      if (error instanceof FilesError && error.code === 'FILES_HELD' && !this.#isHeld) {
        this.#isHeld = true
        this.#options.onHeld()
      }
      throw error
    }
  }

  /** Logs a line, unless the last scan has logged the same. */
  #logOnce(line: string): void {
    if (line !== '' && line !== this.#lastLine) this.#options.log(`Files: ${line}`)
    this.#lastLine = line
  }
}

function describe({ beyondLimit, unreadable, locked }: Omitted): string {
  const parts = [
    [beyondLimit, 'new files are left out, because the agent has too many'],
    [unreadable, 'files and folders must not be read'],
    [locked, 'databases are locked by a program'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join('; ')
}
