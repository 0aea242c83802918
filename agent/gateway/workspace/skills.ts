import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames, ifExists, readText, removeFile, replaceFile } from './files.ts'
import { readFrontMatter } from './front-matter.ts'
import { isName } from './names.ts'

export interface Skill {
  id: string
  name: string
  description: string
  enabled: boolean
  text: string
}

/** The maximum length of a SKILL.md in characters, many times what the prompt includes of it. */
export const documentLimit = 64_000

/** The file name of an enabled and of a disabled skill. OpenClaw reads `SKILL.md` only, so it ignores disabled skills. */
const documentName = { on: 'SKILL.md', off: 'SKILL.md.disabled' }

/** The skills in `<workspace>/skills/<id>/SKILL.md`. An installed skill is enabled until it is disabled. */
export class Skills {
  readonly #folder: string

  constructor(workspace: string) {
    this.#folder = join(workspace, 'skills')
  }

  /** Returns every installed skill by id. */
  async list(): Promise<Skill[]> {
    const ids = (await listNames(this.#folder)).filter(isName)
    const skills = await Promise.all(ids.map((id) => this.#read(id)))
    return skills.filter((skill) => skill !== undefined)
  }

  /** Installs or replaces a skill. The caller has validated `id` by checkName and `document` by documentLimit. */
  async install(id: string, document: string, enabled: boolean): Promise<void> {
    const { is, other } = this.#paths(id, enabled)
    await replaceFile(is, document)
    await removeFile(other)
  }

  /** Removes a skill with its folder. @returns false if it is not installed */
  async remove(id: string): Promise<boolean> {
    const folder = join(this.#folder, id)
    const { is, other } = this.#paths(id, true)
    const removed = await Promise.all([removeFile(is), removeFile(other)])
    await rm(folder, { recursive: true, force: true })
    return removed.includes(true)
  }

  /** Enables or disables a skill. The caller has validated `id` by checkName. @returns false if it is not installed */
  async setEnabled(id: string, enabled: boolean): Promise<boolean> {
    const { is, other } = this.#paths(id, enabled)
    // An interrupted installation leaves both files. Then the enabled one counts.
    if (enabled && (await readText(is)) !== undefined) return true
    const renamed = await ifExists(rename(other, is).then(() => true))
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
    // Read last, so that a skill that is being enabled is found at least once.
    const on = await readText(is)
    const document = on ?? off
    if (document === undefined) return undefined
    const { name = id, description = '', text } = readFrontMatter(document)
    return { id, name, description, enabled: on !== undefined, text }
  }
}
