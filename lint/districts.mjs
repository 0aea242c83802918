import { readFileSync } from 'node:fs'

/** The districts of shared/ and their nouns, each list lowest first. */
const districts = JSON.parse(
  readFileSync(new URL('../shared/districts.json', import.meta.url), 'utf8'),
).map(({ name, nouns }) => ({ name, nouns: Object.keys(nouns) }))

const names = districts.map(({ name }) => name)

/** Tests may import what their subject may not. */
export const tests = '\\.test\\.ts$|/testing/'

/** The list must contain every folder of shared/. */
const unnamed = {
  name: 'districts-are-named',
  comment: 'shared/districts.json must list every folder of shared/.',
  severity: 'error',
  from: {},
  to: { path: `^shared/(?!(?:${names.join('|')})/)[^/]+/` },
}

/** A district imports only districts before it. */
const districtRules = names.map((name, i) => ({
  name: `district-${name}`,
  comment: 'A district imports only districts below it: shared/districts.json.',
  severity: 'error',
  from: { path: `^shared/${name}/`, pathNot: tests },
  to: { path: `^shared/(?!${names.slice(0, i + 1).join('|')})[^/]+/` },
}))

/** A noun imports only nouns of its district before it. */
const nounRules = districts.flatMap(({ name, nouns }) =>
  nouns.map((noun, i) => ({
    name: `noun-${name}-${noun}`,
    comment:
      'A noun imports only nouns of its district above it in the list: shared/districts.json.',
    severity: 'error',
    from: { path: `^shared/${name}/${noun}/`, pathNot: tests },
    to: { path: `^shared/${name}/(?!(?:${nouns.slice(0, i + 1).join('|')})/)[^/]+/` },
  })),
)

export const districtsAndNouns = [unnamed, ...districtRules, ...nounRules]
