import { expect, it } from 'vitest'
import { idPrefixes, type IdKind } from '../manifest/ids.ts'
import { idPattern, newId } from './ids.ts'

const kinds = Object.keys(idPrefixes) as IdKind[]

it.each(kinds)('an id of a %s is taken for one of no other kind', (kind) => {
  const id = newId(kind)
  expect(kinds.filter((other) => new RegExp(`^${idPattern(other)}$`).test(id))).toEqual([kind])
})
