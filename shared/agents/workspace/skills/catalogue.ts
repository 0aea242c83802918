import entries from './catalogue.json' with { type: 'json' }

/** A skill of the catalogue: a folder of the repository's skills, read by stacks/build/skills.ts. */
export interface CatalogueSkill {
  /** The folder's name. */
  id: string
  name: string
  description: string
  category: string
  featured: boolean
  version: string
  /** The whole SKILL.md. */
  document: string
}

export const catalogue: readonly CatalogueSkill[] = entries

export function findSkill(id: string): CatalogueSkill | undefined {
  return catalogue.find((skill) => skill.id === id)
}
