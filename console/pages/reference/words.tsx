/** A text of the document: what is in backticks is code. */
export function Words({ text }: { text: string }) {
  const parts = text.split('`')
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>
}
