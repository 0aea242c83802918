import { PlatformError } from '#shared/platform/errors.ts'
import { hasTooManyStars } from './ignore.ts'

/** The longest pattern: the time to compile a pattern grows with the square of its length. */
const longestPattern = 1024

/**
 * Compiles a pattern of gitattributes(5). Without a slash it matches the name, otherwise the path from its folder.
 * @throws PlatformError 500 for a pattern that would take too long to match
 */
export function patternOf(pattern: string): (path: string) => boolean {
  // Such a pattern matches directories, which have no attributes.
  if (pattern.endsWith('/')) return () => false
  if (pattern.length > longestPattern || hasTooManyStars(pattern))
    throw new PlatformError(
      'internal',
      `The pattern ${JSON.stringify(pattern.slice(0, 100))} of an attribute is too long or has too many stars`,
    )
  const isOfName = !pattern.includes('/')
  const matcher = matcherOf(pattern.replace(/^\//, ''))
  if (matcher === undefined) return () => false
  return (path) => matcher.test(isOfName ? path.slice(path.lastIndexOf('/') + 1) : path)
}

/** Returns undefined for an invalid pattern, which matches nothing. */
function matcherOf(pattern: string): RegExp | undefined {
  const parts = pattern.matchAll(
    /(^|\/)\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\\.|[\s\S]/g,
  )
  let source = ''
  for (const [part, before = ''] of parts) {
    if (part.endsWith('**/')) source += `${before}(?:.*/)?`
    else if (part === '/**') source += '/.*'
    else if (part.startsWith('*')) source += '[^/]*'
    else if (part === '?') source += '[^/]'
    else if (part.length > 1 && part.startsWith('[')) source += setOf(part)
    else source += escaped(part.length > 1 ? part.slice(1) : part)
  }
  try {
    return new RegExp(`^${source}$`, 's')
  } catch {
    return undefined
  }
}

const classes: Record<string, string> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9a-fA-F',
}

function setOf(part: string): string {
  const [, not = '', inside = ''] = /^\[([!^]?)(.*)\]$/s.exec(part) ?? []
  const body = inside.replaceAll(/\[:(\w+):\]|\\(.)|([[\]^])/gs, (_, named, quoted, plain) =>
    named === undefined ? `\\${quoted ?? plain}` : (classes[named as string] ?? ''),
  )
  return `(?!/)[${not === '' ? '' : '^'}${body}]`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
