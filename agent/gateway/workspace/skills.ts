import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames, present, readText, removeFile, replaceFile } from './files.ts'
import { readFrontMatter } from './front-matter.ts'
import { isName } from './names.ts'

export interface Skill {
  id: string
  name: string
  description: string
  enabled: boolean
  text: string
}

/** Longest SKILL.md in characters; many times what the prompt takes of it. */
export const documentLimit = 64_000

/**
 * The document's name by whether the skill is on. Readers of skills in this folder look for the first alone, so a
 * skill that is off is off for it, too.
 */
const documentName = { on: 'SKILL.md', off: 'SKILL.md.disabled' }

/** The skills in `<workspace>/skills/<id>/SKILL.md`. An installed skill is enabled until switched off. */
export class Skills {
  readonly #folder: string

  constructor(workspace: string) {
    this.#folder = join(workspace, 'skills')
  }

  /** Every installed skill by id. */
  async list(): Promise<Skill[]> {
    const ids = (await listNames(this.#folder)).filter(isName)
    const skills = await Promise.all(ids.map((id) => this.#read(id)))
    return skills.filter((skill) => skill !== undefined)
  }

  /** Installs a skill, or replaces it. `id` has passed checkName, `document` is within documentLimit. */
  async install(id: string, document: string, enabled: boolean): Promise<void> {
    const { is, other } = this.#paths(id, enabled)
    await replaceFile(is, document)
    await removeFile(other)
  }

  /** Removes a skill with all that is in its folder. @returns false when it is not installed */
  async remove(id: string): Promise<boolean> {
    const folder = join(this.#folder, id)
    const { is, other } = this.#paths(id, true)
    const removed = await Promise.all([removeFile(is), removeFile(other)])
    await rm(folder, { recursive: true, force: true })
    return removed.includes(true)
  }

  /** Switches a skill on or off. `id` has passed checkName. @returns false when it is not installed */
  async setEnabled(id: string, enabled: boolean): Promise<boolean> {
    const { is, other } = this.#paths(id, enabled)
    // An installation that was cut short leaves both, and the one that is on counts.
    if (enabled && (await readText(is)) !== undefined) return true
    const renamed = await present(rename(other, is).then(() => true))
    return renamed ?? (await readText(is)) !== undefined
  }

  #paths(id: string, enabled: boolean): { is: string; other: string } {
    const folder = join(this.#folder, id)
    const [is, other] = enabled
      ? [documentName.on, documentName.off]
      : [documentName.off, documentName.on]
    return { is: join(folder, is), other: join(folder, other) }
  }

  async #read(id: string): Promise<Skill | undefined> {
    const { is, other } = this.#paths(id, true)
    const off = await readText(other)
    // Last, so that a skill that is switched on meanwhile is found once at least.
    const on = await readText(is)
    const document = on ?? off
    if (document === undefined) return undefined
    const { name = id, description = '', text } = readFrontMatter(document)
    return { id, name, description, enabled: on !== undefined, text }
  }
}
