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

/** A mail's HTML part: plain paragraphs, which all mail clients show alike. `paragraphs` are HTML. */
export function mailHtml(paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')
  return `<!doctype html>\n<html lang="en">\n<body style="font-family: sans-serif">\n${body}\n</body>\n</html>\n`
}
