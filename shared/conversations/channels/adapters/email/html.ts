import { marked, Renderer } from 'marked'
import { escapeHtml } from '#shared/platform/mail/html.ts'

/** Links that an answer may contain: contract.md 14. */
const allowedLink = /^(https?:\/\/|mailto:)/i

/**
 * Returns an answer as the HTML part of a mail. HTML in the answer is shown as text. Links have only the schemes http,
 * https and mailto. Images become links, because loading an image would tell its server who reads the mail. A text
 * whose quotes and lists are nested too deeply for the parser is shown as it is.
 */
export function answerHtml(markdown: string): string {
  const renderer = new Renderer()
  renderer.html = ({ text }) => escapeHtml(text)
  renderer.link = function ({ href, tokens }) {
    return linkTo(href, this.parser.parseInline(tokens))
  }
  renderer.image = ({ href, text }) => linkTo(href, escapeHtml(text === '' ? href : text))
  const body = parsed(markdown, renderer)
  return `<!doctype html>\n<html>\n<body style="font-family: sans-serif">\n${body}</body>\n</html>\n`
}

function parsed(markdown: string, renderer: Renderer): string {
  try {
    return marked.parse(markdown, { renderer, async: false, gfm: true, breaks: true })
  } catch (error) {
    // The stack is full. Another attempt would fail in the same way.
    if (!(error instanceof RangeError)) throw error
    return `<pre>${escapeHtml(markdown)}</pre>\n`
  }
}

/** @param content HTML */
function linkTo(href: string, content: string): string {
  if (!allowedLink.test(href)) return content
  return `<a href="${escapeHtml(href)}" rel="noreferrer">${content}</a>`
}
