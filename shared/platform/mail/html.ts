const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/**
 * Returns the HTML part of a mail: simple paragraphs, which look the same in all mail clients. @param paragraphs HTML
 */
export function mailHtml(paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')
  return `<!doctype html>\n<html lang="en">\n<body style="font-family: sans-serif">\n${body}\n</body>\n</html>\n`
}
