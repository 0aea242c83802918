import fc from 'fast-check'
import { canonicalize } from 'json-canonicalize'
import { describe, expect, it } from 'vitest'
import { agentMessage, unsignedMessage } from './message.ts'
import { signedText } from './signed-text.ts'

const textOf = (json: string) => signedText(JSON.parse(json) as Record<string, unknown>)

/** Returns a double from its bits, as in RFC 8785's list. */
function double(hex: string): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${hex}`))
  return view.getFloat64(0)
}

describe('the signed text has the form of RFC 8785', () => {
  it('the signed text has the form of RFC 8785 in the sample of section 3.2.2', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(textOf(sample)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('the signed text has the form of RFC 8785 with names in the order of section 3.2.3', () => {
    const sample = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    expect(textOf(sample).match(/"[^"]*"(?=[,}])/g)).toEqual([
      '"Carriage Return"',
      '"One"',
      '"Control"',
      '"Latin Small Letter O With Diaeresis"',
      '"Euro Sign"',
      '"Emoji: Grinning Face"',
      '"Hebrew Letter Dalet With Dagesh"',
    ])
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the signed text has the form of RFC 8785 with the number %s of appendix B', (bits, text) => {
    expect(signedText({ n: double(bits) })).toBe(`{"n":${text}}`)
  })

  it('the signed text has the form of RFC 8785 for any JSON, as in another implementation', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
        const {
          signature: _s,
          metadata: _m,
          ...signed
        } = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
        expect(signedText(value)).toBe(canonicalize(signed))
      }),
      { numRuns: 500 },
    )
  })
})

const honest = {
  messageId: 'a',
  timestamp: '2026-01-01T00:00:00Z',
  from: { agentId: 'a', walletAddress: `0x${'a'.repeat(40)}` },
  to: { agentId: 'b' },
  action: 'GREET',
  payload: {},
  signature: '0x',
}

describe('a message', () => {
  it('a message with any fields is parsed without a change of its signed text', () => {
    const name = fc.string({ unit: 'grapheme' })
    const any = fc.dictionary(name, fc.jsonValue({ maxDepth: 4 }))
    // Outside the payload, this name is always removed when a message is parsed, signed and delivered.
    const others = any.map(({ ['__proto__']: _, ...rest }) => rest)
    fc.assert(
      fc.property(any, others, others, (payload, more, within) => {
        const sent = JSON.parse(
          JSON.stringify({ ...more, ...honest, payload, to: { ...within, agentId: 'b' } }),
        ) as Record<string, unknown>
        fc.pre(!('metadata' in sent))
        expect(signedText(agentMessage.parse(sent))).toBe(signedText(sent))
      }),
    )
  })

  it('is delivered without unsigned content: a field __proto__', () => {
    const text = JSON.stringify({ ...honest, to: { agentId: 'b' } })
    const sent = JSON.parse(text.replace('{', '{"__proto__":{"a":1},')) as unknown
    const read = agentMessage.parse(sent)
    expect(JSON.stringify(read)).not.toContain('__proto__')
    expect(signedText(read)).toBe(signedText(JSON.parse(text)))
  })

  it('may omit only its wallet until it is signed', () => {
    const { signature: _, ...unsigned } = { ...honest, from: { agentId: 'a' } }
    expect(unsignedMessage.parse(unsigned)).toEqual(unsigned)
    expect(agentMessage.safeParse({ ...unsigned, signature: '0x' }).success).toBe(false)
    expect(unsignedMessage.safeParse({ ...unsigned, to: {} }).success).toBe(false)
  })

  it('is signed without signature and metadata, and with all other fields', () => {
    const text = signedText(honest)
    expect(signedText({ ...honest, signature: 'x', metadata: { replyTo: 'b' } })).toBe(text)
    expect(signedText({ ...honest, priority: 1 })).not.toBe(text)
  })
})
