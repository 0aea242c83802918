import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

/** The catalogue file of the functions. It is bundled, because functions have no folder of skills. */
const catalogueFile = 'shared/agents/workspace/skills/catalogue.json'

const frontMatter = z.strictObject({
  name: z.string().min(1).max(60),
  description: z.string().min(20).max(200),
  category: z.string().regex(/^[a-z]+$/),
  featured: z.enum(['true', 'false']).transform((text) => text === 'true'),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
})

export type CatalogueEntry = z.output<typeof frontMatter> & {
  /** The folder's name. */
  id: string
  /** The whole SKILL.md. */
  document: string
}

/**
 * Reads the skills of a repository, `skills/<id>/SKILL.md`, in order of id.
 * @throws Error that names a file with an invalid head
 */
export async function readSkills(root: string): Promise<CatalogueEntry[]> {
  const folder = join(root, 'skills')
  const entries = await readdir(folder, { withFileTypes: true })
  const ids = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return Promise.all(ids.sort().map((id) => readSkill(folder, id)))
}

async function readSkill(folder: string, id: string): Promise<CatalogueEntry> {
  const document = await readFile(join(folder, id, 'SKILL.md'), 'utf8')
  return { id, ...readHead(`skills/${id}/SKILL.md`, document), document }
}

/** Updates the functions' catalogue from the skills. @returns whether it changed */
export async function writeCatalogue(root: string): Promise<boolean> {
  const path = join(root, catalogueFile)
  const text = `${JSON.stringify(await readSkills(root), null, 2)}\n`
  if (text === (await readFile(path, 'utf8'))) return false
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, text)
  await rename(temporary, path)
  return true
}

function readHead(path: string, document: string): z.output<typeof frontMatter> {
  const head = /^---\n([\s\S]*?)\n---\n/.exec(document)?.[1] ?? ''
  const fields = head.split('\n').map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const read = frontMatter.safeParse(Object.fromEntries(fields))
  if (read.success) return read.data
  throw new Error(`${path}: ${z.prettifyError(read.error)}`)
}
