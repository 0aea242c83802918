import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames, ifExists, readText, removeFile, replaceFile } from './files.ts'
import { isName } from './names.ts'

/** The maximum length of a memory note in characters (contract.md 7). */
export const noteLimit = 100_000

export interface Note {
  key: string
  text: string
  updatedAt: Date
}

const extension = '.md'

/** The agent's memory: one Markdown file per note in `<workspace>/memory`. */
export class Memory {
  readonly #folder: string

  constructor(workspace: string) {
    this.#folder = join(workspace, 'memory')
  }

  /** Returns every note, newest first. */
  async list(): Promise<Note[]> {
    const keys = await this.#keys()
    const notes = await Promise.all(keys.map((key) => this.#read(key)))
    return notes
      .filter((note) => note !== undefined)
      .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
  }

  /** Writes a note. The caller has validated `key` by checkName and `text` by noteLimit. */
  async write(key: string, text: string): Promise<void> {
    await replaceFile(this.#path(key), text)
  }

  /** @returns false if the note does not exist */
  remove(key: string): Promise<boolean> {
    return removeFile(this.#path(key))
  }

  /** Deletes all notes. @returns how many */
  async reset(): Promise<number> {
    const removed = await Promise.all((await this.#keys()).map((key) => this.remove(key)))
    return removed.filter(Boolean).length
  }

  async #keys(): Promise<string[]> {
    const names = await listNames(this.#folder)
    return names
      .filter((name) => name.endsWith(extension))
      .map((name) => name.slice(0, -extension.length))
      .filter(isName)
  }

  async #read(key: string): Promise<Note | undefined> {
    const [text, info] = await Promise.all([
      readText(this.#path(key)),
      ifExists(stat(this.#path(key))),
    ])
    return text === undefined || info === undefined
      ? undefined
      : { key, text, updatedAt: info.mtime }
  }

  #path(key: string): string {
    return join(this.#folder, key + extension)
  }
}
