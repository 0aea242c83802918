import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames, present, readText, removeFile, replaceFile } from './files.ts'
import { readFrontMatter } from './front-matter.ts'
import { isName } from './names.ts'

export type Skill = {
  id: string
  name: string
  description: string
  enabled: boolean
  text: string
}

/** Longest SKILL.md in characters; many times what the prompt takes of it. */
export const documentLimit = 64_000

/** Lies in a skill's own folder, so that it goes with the skill and needs no shared state file. */
const marker = '.disabled'

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
    // A skill exists by its document: until that is there, nothing uses what this leaves behind.
    await this.#mark(id, enabled)
    await replaceFile(join(this.#folder, id, 'SKILL.md'), document)
  }

  /** Removes a skill with all that is in its folder. @returns false when it is not installed */
  async remove(id: string): Promise<boolean> {
    const folder = join(this.#folder, id)
    const installed = await removeFile(join(folder, 'SKILL.md'))
    await rm(folder, { recursive: true, force: true })
    return installed
  }

  /** Switches a skill on or off. `id` has passed checkName. @returns false when it is not installed */
  async setEnabled(id: string, enabled: boolean): Promise<boolean> {
    if ((await this.#read(id)) === undefined) return false
    await this.#mark(id, enabled)
    return true
  }

  async #mark(id: string, enabled: boolean): Promise<void> {
    const path = join(this.#folder, id, marker)
    if (enabled) await removeFile(path)
    else await replaceFile(path, '')
  }

  async #read(id: string): Promise<Skill | undefined> {
    const folder = join(this.#folder, id)
    const [document, disabled] = await Promise.all([
      readText(join(folder, 'SKILL.md')),
      present(access(join(folder, marker)).then(() => true)),
    ])
    if (document === undefined) return undefined
    const { name = id, description = '', text } = readFrontMatter(document)
    return { id, name, description, enabled: disabled !== true, text }
  }
}
