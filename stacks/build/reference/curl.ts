import { addressOf, type Example } from './operation.ts'

const json = 'application/json'

/** Shell variables for a surface's address and key. */
const names = {
  web: { url: 'PLATFORM_URL', key: 'PLATFORM_API_KEY' },
  backend: { url: 'BACKEND_URL', key: 'INTERNAL_API_KEY' },
  summarizer: { url: 'SUMMARIZER_URL', key: 'INTERNAL_API_KEY' },
} as const

export type SurfaceName = keyof typeof names

/** Returns a request as a curl command. */
export function curlOf(surface: SurfaceName, example: Example): string {
  const { method, body, type, streams, schemes } = example
  const { url, key } = names[surface]
  const parts = [
    `curl${streams ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} "$${url}${addressOf(example)}"`,
  ]
  const isBySession = schemes.every((scheme) => scheme === 'session')
  if (schemes.length > 0 && isBySession) parts.push('-b "service-session=$SESSION"')
  else if (schemes.length > 0) parts.push(`-H "authorization: Bearer $${keyFor(schemes, key)}"`)
  if (type !== undefined) parts.push(`-H 'content-type: ${type}'`)
  if (type === json) parts.push(`-d ${quoted(JSON.stringify(body))}`)
  else if (type !== undefined) parts.push('--data-binary @body')
  return parts.join(' \\\n  ')
}

function keyFor(schemes: readonly string[], key: string): string {
  return schemes[0] === 'agent' ? 'AI_API_KEY' : key
}

/** Quotes a word for a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
