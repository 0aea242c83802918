import fc from 'fast-check'
import { Lexer, type MarkedToken, type Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { targetFields } from '#shared/permits/policy/effect.ts'
import { mergePage, type HistoryPage } from '../../console/screens/agent/chat/page.ts'
import { pieces, placesOf } from '../../console/screens/agent/logs/search.ts'
import {
  fieldsOf,
  actions,
  ruleOf,
  textsOf,
} from '../../console/screens/agent/policy/rule-fields.ts'
import { completeMarkdown } from '../../console/ui/markdown/settle.ts'

describe('a search in a log', () => {
  /** Few characters, so that terms are found often; some whose lower case is longer, shorter or shared. */
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'A',
      'i',
      'I',
      'İ',
      'ı',
      'ß',
      'ẞ',
      'K',
      'k',
      '.',
      '*',
      '\\',
      '[',
      '/',
      '🦜',
      ' ',
    ),
  })

  const isSame = (one: string, other: string) =>
    one.toLowerCase() === other.toLowerCase() || one.toUpperCase() === other.toUpperCase()

  test('splits a line at the matches, without loss', () => {
    fc.assert(
      fc.property(text, text, (line, term) => {
        const cut = pieces(line, term)
        expect(cut.join('')).toBe(line)
        const marked = cut.filter((_, i) => i % 2 === 1)
        for (const each of marked)
          expect([...each].every((char, i) => isSame(char, [...term][i] ?? ''))).toBe(true)
        expect(marked.every((each) => [...each].length === [...term].length)).toBe(true)
        // The same line, term and case match everywhere.
        if (term !== '')
          expect(cut.some((each, i) => i % 2 === 0 && each.includes(term))).toBe(false)
        expect(placesOf([line], term).length > 0).toBe(marked.length > 0)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['İ a needle', 'NEEDLE', ['İ a ', 'needle', '']],
    ['a.b a+b', 'A.B', ['', 'a.b', ' a+b']],
    ['🦜🦜', '🦜', ['', '🦜', '', '🦜', '']],
  ])('splits %s at %s', (line, term, expected) => {
    expect(pieces(line, term)).toEqual(expected)
  })
})

describe('a streaming answer', () => {
  const word = fc.constantFrom('one', 'two', 'Три', '四', 'f_x', '3.5', '🦜')
  const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '))
  const inline = fc.oneof(
    { weight: 3, arbitrary: words },
    words.map((text) => `**${text}**`),
    words.map((text) => `*${text}*`),
    words.map((text) => `~~${text}~~`),
    words.map((text) => `\`${text}\``),
    words.map((text) => `[${text}](https://example.com/a)`),
  )
  const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '))
  const block = fc.oneof(
    line,
    line.map((text) => `## ${text}`),
    line.map((text) => `> ${text}`),
    fc
      .array(line, { minLength: 1, maxLength: 3 })
      .map((list) => list.map((each) => `- ${each}`).join('\n')),
    fc
      .array(line, { minLength: 1, maxLength: 3 })
      .map((list) => list.map((each, i) => `${i + 1}. ${each}`).join('\n')),
    fc.tuple(words, words, words).map(([a, b, c]) => `| ${a} | ${b} |\n|---|---|\n| ${c} | ${a} |`),
    fc.tuple(words, words).map(([a, b]) => `\`\`\`js\n${a}\n\n**${b}\n\`\`\``),
  )
  const answer = fc.array(block, { minLength: 1, maxLength: 4 }).map((list) => list.join('\n\n'))

  /** Returns each visible letter with its style. */
  function seen(markdown: string): string[] {
    const letters: string[] = []
    const walk = (tokens: readonly Token[], looks: string) => {
      for (const token of tokens as MarkedToken[]) {
        if (token.type === 'list') for (const { tokens } of token.items) walk(tokens, looks)
        else if (token.type === 'table')
          for (const cell of [...token.header, ...token.rows.flat()]) walk(cell.tokens, looks)
        else if ('tokens' in token && token.tokens !== undefined)
          walk(token.tokens, /strong|em|del/.test(token.type) ? `${looks} ${token.type}` : looks)
        else if ('text' in token)
          for (const letter of token.text.replaceAll(/\s/g, ''))
            letters.push(`${letter}${looks}${/code/.test(token.type) ? ` ${token.type}` : ''}`)
      }
    }
    walk(new Lexer({ gfm: true }).lex(markdown), '')
    return letters
  }

  test('already has its final format, letter by letter', () => {
    fc.assert(
      fc.property(answer, fc.double({ min: 0, max: 1, noNaN: true }), (whole, share) => {
        const letters = [...whole]
        const came = letters.slice(0, Math.round(letters.length * share)).join('')
        const now = seen(completeMarkdown(came))
        expect({ came, now }).toEqual({ came, now: seen(whole).slice(0, now.length) })
      }),
      { numRuns: 1500 },
    )
  })

  test('is never longer than its input, for any input', () => {
    const any = fc.string({
      unit: fc.constantFrom(
        'a',
        '*',
        '_',
        '~',
        '`',
        '[',
        ']',
        '(',
        ')',
        '|',
        '-',
        '#',
        '>',
        '\n',
        ' ',
        '1',
        '.',
      ),
    })
    fc.assert(
      fc.property(any, (came) => {
        const plain = (text: string) => text.replaceAll(/[^a]/g, '').length
        const settled = completeMarkdown(came)
        expect(plain(settled)).toBeLessThanOrEqual(plain(came))
        const stored = came.slice(0, came.lastIndexOf('\n\n') + 1)
        expect(settled.startsWith(stored)).toBe(true)
        seen(settled)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the visible part of a conversation', () => {
  /** The messages of one conversation and of others, in order of time. */
  type Said = { id: string; isHere: boolean }

  /** Returns a page as the platform does: with a limit of messages, and a limit of messages that it examines. */
  function pageOf(all: readonly Said[], before: number, limit: number): HistoryPage {
    const messages: Said[] = []
    const first = Math.max(0, before - 8)
    let at = before
    for (; at > first; at--) {
      const one = all[at - 1]
      if (one?.isHere !== true) continue
      if (messages.length === limit) break
      messages.unshift(one)
    }
    return { messages: messages as never, cursor: at === 0 ? null : String(at) }
  }

  const step = fc.oneof(
    fc.record({ what: fc.constant('say' as const), isHere: fc.boolean(), times: fc.nat(9) }),
    fc.record({ what: fc.constantFrom('look' as const, 'earlier' as const) }),
  )

  test('has no gap, and grows to all of it', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, limit) => {
          const all: Said[] = []
          let shown: HistoryPage | undefined
          const here = () => all.filter(({ isHere }) => isHere).map(({ id }) => id)
          const ids = () => shown?.messages.map(({ id }) => id) ?? []
          const earlier = () => {
            if (typeof shown?.cursor !== 'string') return false
            const { messages, cursor } = pageOf(all, Number(shown.cursor), limit)
            shown = { messages: [...messages, ...shown.messages], cursor }
            return true
          }
          const look = () => {
            shown = mergePage(shown, pageOf(all, all.length, limit))
          }
          for (const each of steps) {
            if (each.what === 'say')
              for (let n = 0; n < each.times; n++)
                all.push({ id: String(all.length).padStart(4, '0'), isHere: each.isHere })
            else if (each.what === 'look') look()
            else earlier()
            const [first = ''] = ids()
            const from = here().indexOf(first)
            expect(ids()).toEqual(
              here()
                .slice(from, from + ids().length)
                .filter(() => from >= 0),
            )
          }
          look()
          while (earlier());
          const last = ids().at(-1)
          // If other conversations fill the limit of examined messages, only this conversation's messages before them
          // may be known.
          expect(ids()).toEqual(here().filter((id) => last !== undefined && id <= last))
          if (pageOf(all, all.length, limit).messages.length > 0) expect(ids()).toEqual(here())
        },
      ),
    )
  })
})

describe('the form of a rule', () => {
  test('has the fields that the platform matches', () => {
    expect(fieldsOf).toEqual(targetFields)
  })

  const pattern = fc.string({ unit: fc.constantFrom('a', '*', ' ', '/', ','), minLength: 1 })
  const patterns = fc.oneof(pattern, fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }))
  const times = fc.constantFrom('00:00', '09:30', '24:00')
  const when = fc.record(
    {
      maxUsd: fc.constantFrom('1', '0.50'),
      perDay: fc.integer({ min: 1, max: 1_000_000 }),
      hours: fc.record(
        { from: times, to: times, timezone: fc.constantFrom('UTC', 'Europe/Berlin') },
        { requiredKeys: ['from', 'to'] },
      ),
    },
    { requiredKeys: [] },
  )
  const rule = fc.constantFrom(...actions).chain((action) =>
    fc.record(
      {
        action: fc.constant(action),
        match: fc.dictionary(fc.constantFrom(...fieldsOf[action]), patterns, { minKeys: 1 }),
        when: when.filter((one) => Object.keys(one).length > 0),
        then: fc.constantFrom('allow' as const, 'ask' as const),
      },
      { requiredKeys: ['action', 'then'] },
    ),
  )

  test('leaves a rule as it is stored if nothing is changed', () => {
    fc.assert(
      fc.property(rule, (one) => {
        expect(ruleOf(one, textsOf(one), one)).toEqual({ ...one })
      }),
    )
  })
})
