import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { entity } from './entity.ts'

const notes = entity({
  name: 'note',
  pk: 'user#{userId}',
  sk: 'note#{topic}#{noteId}',
  schema: () => z.object({ text: z.string(), count: z.number() }),
  version: 2,
  upgrade: ({ words, ...rest }) => ({ text: words, count: 0, ...rest }),
})

describe('an entity', () => {
  it('builds keys and key prefixes', () => {
    const values = { userId: 'usr_1', topic: 'a', noteId: 'n1' }
    expect(notes.key(values)).toEqual({ pk: 'user#usr_1', sk: 'note#a#n1' })
    expect(notes.sk(values)).toBe('note#a#n1')
    expect(notes.pk({ userId: 'usr_1' })).toBe('user#usr_1')
    expect(notes.prefix()).toBe('note#')
    expect(notes.prefix({ topic: 'a' })).toBe('note#a#')
  })

  it('writes rows and reads them again, without keys and unknown attributes', () => {
    const values = { userId: 'usr_1', topic: 'a', noteId: 'n1' }
    const item = notes.put(values, { text: 'hi', count: 1 }, { expiresAt: 5 })
    expect(item).toMatchObject({ pk: 'user#usr_1', sk: 'note#a#n1', text: 'hi', expiresAt: 5 })
    expect(notes.parse(item)).toEqual({ text: 'hi', count: 1 })
  })

  it('reads rows of the previous version', () => {
    expect(notes.parse({ pk: 'p', sk: 's', words: 'hi' })).toEqual({ text: 'hi', count: 0 })
  })

  it('reports its name and the invalid fields of a row, never their values', () => {
    const wrong = { pk: 'p', sk: 's', entityVersion: 2, text: 7, count: 'secret' }
    expect(() => notes.parse(wrong)).toThrow('The row is not a valid note: text, count')
  })
})
