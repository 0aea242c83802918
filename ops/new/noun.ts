import { type Draft, place } from './draft.ts'

interface District {
  name: string
  nouns: Record<string, string>
}

/** Returns undefined for words that it cannot use, like all drafts. */
export function noun([path = '', about = '']: readonly string[]): Draft | undefined {
  const [, district = '', name = ''] = place.exec(path) ?? []
  if (name === '' || about === '') return undefined
  return {
    files: {},
    edits: { 'shared/districts.json': (text) => withNoun(text, { district, noun: name }, about) },
    next: [
      `write its files: npm run new -- row ${path} <name>, npm run new -- verb ${path}/<verb>`,
      'move the noun up in shared/districts.json if another noun of the district imports it',
      'npx vitest run tests/docs/districts -u',
    ],
  }
}

/** Adds a noun at the end of its district. */
export function withNoun(
  text: string,
  { district, noun }: { district: string; noun: string },
  about: string,
): string {
  const districts = JSON.parse(text) as District[]
  const found = districts.find((each) => each.name === district)
  if (found === undefined)
    throw new Error(`${district} is not one of ${districts.map(({ name }) => name).join(', ')}`)
  if (noun in found.nouns) throw new Error(`${district} already has a noun ${noun}`)
  found.nouns[noun] = about
  return `${JSON.stringify(districts, undefined, 2)}\n`
}
