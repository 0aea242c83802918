/** Renders a text of the document, with the parts in backticks as code. */
export function Words({ text }: { text: string }) {
  const parts = text.split('`')
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>
}
