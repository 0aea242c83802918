import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { broken, brokenText, nastyText } from './breaking.ts'
import type { Operation } from './operations.ts'
import { fitting, type Named } from './schema.ts'

export interface Content {
  contentType: string | undefined
  body: string | Uint8Array | undefined
}

/** Generates the body of an operation and its content type: right, nearly right, and cut or compressed on the way. */
export function content(body: Operation['body'], named: Named): fc.Arbitrary<Content> {
  if (body === undefined) return fc.constant({ contentType: undefined, body: undefined })
  const { contentType, schema } = body
  if (contentType === 'application/x-www-form-urlencoded') return typed(contentType, form())
  if (contentType === 'multipart/form-data')
    return typed('multipart/form-data; boundary=limit', multipart())
  const right = fitting(schema, named)
  const isJson = contentType === 'application/json'
  const written = (value: unknown) =>
    typeof value === 'string' && !isJson ? value : (JSON.stringify(value) ?? '')
  return typed(
    contentType,
    fc.oneof(
      { weight: 8, arbitrary: right.map(written) },
      { weight: 4, arbitrary: broken(right).map(written) },
      { weight: 1, arbitrary: broken(broken(right)).map(written) },
      { weight: 1, arbitrary: brokenText },
    ),
  )
}

function typed(right: string, text: fc.Arbitrary<string>): fc.Arbitrary<Content> {
  return fc.record({
    contentType: fc.oneof(
      { weight: 90, arbitrary: fc.constant<string | undefined>(right) },
      fc.constantFrom(
        'application/json; charset=utf-8',
        'application/json; charset=utf-16',
        'application/ld+json',
        'application/jsonp',
        'text/plain',
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'application/x-www-form-urlencoded',
        ';',
        undefined,
      ),
    ),
    body: fc.oneof(
      { weight: 9, arbitrary: text },
      { weight: 1, arbitrary: fc.tuple(text, edits, fc.nat()).map(edited) },
    ),
  })
}

/** Changes that proxies and old clients make to a body, and JSON that JSON.stringify does not write. */
const edits = fc.constantFrom<(text: string, at: number) => string | Uint8Array>(
  (text, at) => text.slice(0, at % (text.length + 1)),
  (text) => `\uFEFF${text}`,
  (text) => new Uint8Array(gzipSync(text)),
  (text) => new Uint8Array(Buffer.from(text, 'utf16le')),
  (text, at) => withByte(text, at, 0xff),
  (text, at) => withByte(text, at, 0),
  (text) => text.replace('{', '{"__proto__":{"isAdmin":true,"id":"x"},'),
  (text) => text.replace('{', '{"constructor":{"prototype":{"isAdmin":true}},'),
  (text) => text.replace(/\{("[^"]+"):/, '{$1:[],$1:'),
  ...['-0', '1e400', '-1e400', '1e-400', '1E+2', '123456789012345678901234567890', '0.1e-200'].map(
    (number) => (text: string) => text.replace(/-?\d[\d.e+-]*/, number),
  ),
  (text) => `${' '.repeat(70_000)}${text}`,
  (text) => `${text}\n`,
  (text) => text.replaceAll('"', "'"),
)

function edited([text, edit, at]: [
  string,
  (text: string, at: number) => string | Uint8Array,
  number,
]) {
  return edit(text, at)
}

function withByte(text: string, at: number, byte: number): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > 0) bytes[at % bytes.length] = byte
  return bytes
}

/** The fields of the OAuth forms. */
const fields: Record<string, readonly string[]> = {
  grant_type: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  client_id: ['https://client.example/metadata', 'oac_x'],
  client_secret: [],
  redirect_uri: ['http://localhost:1/callback', 'javascript:alert(1)'],
  code: [],
  code_verifier: ['a'.repeat(43), 'a'.repeat(129)],
  refresh_token: [],
  device_code: [],
  token: [],
  token_type_hint: ['access_token'],
  scope: ['read', 'read write', ' '],
  resource: ['http://localhost:3000/mcp', 'x:y'],
}

function form(): fc.Arbitrary<string> {
  const pairs = Object.entries(fields).map(([name, values]) =>
    fc
      .oneof(fc.constantFrom('', ...values), nastyText)
      .map((value) => new URLSearchParams([[name, value.slice(0, 5000)]]).toString()),
  )
  const some = fc.array(fc.oneof(...pairs), { maxLength: 8 }).map((chosen) => chosen.join('&'))
  return fc.oneof(
    { weight: 6, arbitrary: some },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '%',
        '&&&',
        '=',
        'a=%zz',
        'grant_type',
        `${'a=b&'.repeat(20_000)}`,
      ),
    },
  )
}

/** The parts of an upload of audio. */
function multipart(): fc.Arbitrary<string> {
  const file = fc.constantFrom('RIFF\0\0\0\0WAVEfmt ', '', '\0'.repeat(100))
  const part = fc.oneof(
    file.map((bytes) => disposition('file', bytes, '; filename="a.wav"')),
    fc.constantFrom('local/whisper', 'whisper-1', '').map((text) => disposition('model', text)),
    fc
      .tuple(
        fc.constantFrom('language', 'prompt', 'response_format', 'temperature', 'stream', 'model'),
        fc.oneof(nastyText, fc.constantFrom('json', 'verbose_json', 'srt', '1e-200', 'true', 'en')),
      )
      .map(([name, text]) => disposition(name, text)),
  )
  return fc
    .tuple(fc.array(part, { maxLength: 6 }), fc.constantFrom('--limit--\r\n', '--limit', ''))
    .map(([parts, end]) => parts.join('') + end)
}

function disposition(name: string, text: string, more = ''): string {
  return `--limit\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`
}
