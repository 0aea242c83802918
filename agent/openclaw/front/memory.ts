import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Notes } from '../../gateway/routes/memory.ts'
import { readText, removeFile, replaceFile } from '../../gateway/workspace/files.ts'
import { Memory, type Note } from '../../gateway/workspace/memory.ts'

/** The markers around the part of MEMORY.md that is written here. The rest belongs to the agent. */
const begin =
  '<!-- notes: begin (written by the platform from memory/*.md; changes here are lost) -->'
const end = '<!-- notes: end -->'

/** The maximum length of the notes in it, in characters. OpenClaw reads 20,000 of the whole file. */
const partLimit = 16_000

/** OpenClaw's own daily notes, which it reads on demand: its docs, concepts/memory. */
const dailyNote = /^\d{4}-\d{2}-\d{2}/

/**
 * The agent's memory in the place where OpenClaw 2026.9 reads it: one file per note in `<workspace>/memory`, which it can
 * search, and all notes in one part of `MEMORY.md`, which it adds to every conversation (its docs, concepts/memory).
 */
export class OpenclawMemory implements Notes {
  readonly #workspace: string
  readonly #notes: Memory

  constructor(workspace: string) {
    this.#workspace = workspace
    this.#notes = new Memory(workspace)
  }

  list(): Promise<Note[]> {
    return this.#notes.list()
  }

  async write(key: string, text: string): Promise<void> {
    await this.#notes.write(key, text)
    await this.#publish()
  }

  async remove(key: string): Promise<boolean> {
    const removed = await this.#notes.remove(key)
    await this.#publish()
    return removed
  }

  /** Deletes the notes and what the agent has written itself. */
  async reset(): Promise<number> {
    const removed = await this.#notes.reset()
    await Promise.all(
      ['MEMORY.md', 'USER.md', 'DREAMS.md'].map((name) => removeFile(this.#path(name))),
    )
    await rm(this.#path('memory'), { recursive: true, force: true })
    return removed
  }

  async #publish(): Promise<void> {
    const path = this.#path('MEMORY.md')
    const before = (await readText(path)) ?? ''
    const notes = (await this.list()).filter(({ key }) => !dailyNote.test(key))
    const after = withPart(before, notes)
    if (after === '') await removeFile(path)
    else if (after !== before) await replaceFile(path, after)
  }

  #path(name: string): string {
    return join(this.#workspace, name)
  }
}

function withPart(document: string, notes: readonly Note[]): string {
  const [first, last] = [document.indexOf(begin), document.indexOf(end)]
  const own =
    first < 0 || last < first
      ? document
      : document.slice(0, first) + document.slice(last + end.length).trimStart()
  if (notes.length === 0) return own
  return `${own.trim()}\n\n${begin}\n${describe(notes)}\n${end}\n`.trimStart()
}

/** Returns the newest notes that fit. The first that does not fit is cut, with the path of its file. */
function describe(notes: readonly Note[]): string {
  const lines: string[] = []
  let remaining = partLimit
  for (const { key, text } of notes) {
    if (remaining <= 0) break
    lines.push(
      `## ${key}`,
      text.length <= remaining ? text : `${text.slice(0, remaining)} […] (memory/${key}.md)`,
    )
    remaining -= text.length
  }
  return lines.join('\n')
}
