import { formsOf, redactText } from '#shared/tools/broker/redact.ts'

/** Returns a result without the secrets of its connection, which a server may echo in every text and name. */
export function redactResult(
  result: Record<string, unknown>,
  secrets: readonly string[],
): Record<string, unknown> {
  const forms = secrets.flatMap(formsOf)
  const text = JSON.stringify(result)
  const redacted = redactText(text, forms)
  return redacted === text ? result : (JSON.parse(redacted) as Record<string, unknown>)
}

/** Returns a text of a server without the secrets of its connection. */
export function redactWords(text: string, secrets: readonly string[]): string {
  return redactText(text, secrets.flatMap(formsOf))
}
