import { headerName, sendingHeaders } from '#shared/platform/http-client/header-names.ts'

/** The placeholder for the credential's value in a header template. */
export const placeholder = '{value}'

/** Splits a header template: `authorization: Bearer {value}` becomes `['authorization', 'Bearer {value}']`. */
export function headerParts(template: string): [name: string, text: string] {
  const colon = template.indexOf(':')
  return [template.slice(0, colon).trim().toLowerCase(), template.slice(colon + 1).trim()]
}

/** @returns the fault of a template, or undefined if it is valid */
export function headerFault(template: string): string | undefined {
  const [name, text] = headerParts(template)
  if (!template.includes(':') || !headerName.test(name))
    return 'header must be a name and a text, like "authorization: Bearer {value}"'
  if (sendingHeaders.has(name))
    return `header must not be ${name}, which controls how the request is sent`
  if (!/^[\t\x20-\x7e]+$/.test(text)) return 'header must be printable ASCII in one line'
  if (text.split(placeholder).length !== 2) return `header must contain ${placeholder} once`
  return undefined
}
