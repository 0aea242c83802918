import { descend, type Directory } from './directory.ts'

/** The number of folders that stay open without use. */
const idleLimit = 64

/** The folders below a root that many files are written into: one open descriptor for each, for a while. */
export class Folders implements AsyncDisposable {
  readonly #root: Directory
  readonly #open = new Map<string, { dir: Promise<Directory>; users: number }>()

  constructor(root: Directory) {
    this.#root = root
  }

  /** Calls `work` with a folder, which must exist. */
  async use<T>(names: readonly string[], work: (dir: Directory) => Promise<T>): Promise<T> {
    const key = names.join('/')
    const folder = this.#open.get(key) ?? { dir: descend(this.#root, names), users: 0 }
    // Again at the end: the first one is the longest without use.
    this.#open.delete(key)
    this.#open.set(key, folder)
    folder.users++
    try {
      return await work(await folder.dir)
    } finally {
      folder.users--
      if (this.#open.size > idleLimit) await this.#closeIdle()
    }
  }

  async #closeIdle(limit = idleLimit): Promise<void> {
    for (const [key, { dir, users }] of this.#open) {
      if (this.#open.size <= limit) return
      if (users > 0) continue
      this.#open.delete(key)
      await (await dir.catch(() => undefined))?.[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeIdle(0)
  }
}
