import TurndownService from 'turndown'
import { collapsed } from '../text.ts'
import { asElement, type DomElement } from './dom.ts'
import { addTables } from './tables.ts'
import { textOf } from './text.ts'

const marks = new Set(['#', '¶', '§', ''])

/**
 * Converts an article to Markdown (CommonMark with GitHub's tables). Escapes text that looks like markup.
 * @param resolve returns the absolute address, or undefined for an address to omit
 */
export function markdownOf(
  article: DomElement,
  resolve: (address: string) => string | undefined,
): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  })
  const escapeMarkdown = service.escape.bind(service)
  service.escape = (text) => escapeMarkdown(text).replaceAll(/<(?=[a-z/!?])|&(?=#?\w+;)/gi, '\\$&')

  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) => {
      const text = collapsed(content)
      return text === '' ? '' : `\n\n${'#'.repeat(Number(node.nodeName[1]))} ${text}\n\n`
    },
  })
  service.addRule('link', {
    filter: 'a',
    replacement(content, node) {
      const target = attributeOf(node, 'href')
      const text = content.trim()
      // A permalink mark beside a heading.
      if (target.startsWith('#') && marks.has(text.replaceAll('\\', ''))) return ''
      const href = resolve(target)
      if (href === undefined || text === '') return content
      const label = text.includes('\n') ? service.escape(collapsed(textOf(asElement(node)))) : text
      return label === '' ? '' : `[${label}](${inParentheses(href)})`
    },
  })
  service.addRule('image', {
    filter: 'img',
    replacement(_, node) {
      const src = resolve(attributeOf(node, 'src'))
      const alt = service.escape(collapsed(attributeOf(node, 'alt')))
      return src === undefined ? '' : `![${alt}](${inParentheses(src)})`
    },
  })
  service.addRule('code', {
    filter: 'pre',
    replacement(_, node) {
      const pre = asElement(node)
      const code = textOf(pre).replace(/^\n/, '').trimEnd()
      if (code.trim() === '') return ''
      if (pre.closest('td, th') !== null) return inlineCode(collapsed(code))
      const fence = '`'.repeat(Math.max(3, longestRun(code) + 1))
      return `\n\n${fence}${languageOf(pre)}\n${code}\n${fence}\n\n`
    },
  })
  service.addRule('deleted', {
    filter: (node) => /^(?:DEL|S|STRIKE)$/.test(node.nodeName),
    replacement: (content) => (content.trim() === '' ? '' : `~~${content.trim()}~~`),
  })
  addTables(service)
  return service
    .turndown(article as never)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function attributeOf(node: unknown, name: string): string {
  return asElement(node).getAttribute(name) ?? ''
}

/** URLs of mail and phone can contain spaces and angle brackets, which would end the address. */
function inParentheses(address: string): string {
  const encoded = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  return address.replaceAll(/[ ()<>\\]/g, encoded)
}

function longestRun(code: string): number {
  let longest = 0
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

function inlineCode(code: string): string {
  const fence = '`'.repeat(longestRun(code) + 1)
  return fence.length > 1 ? `${fence} ${code} ${fence}` : `\`${code}\``
}

/** Highlighters name the language in a class of the block, its code or its parent. */
function languageOf(pre: DomElement): string {
  const around = pre.parentNode
  const inside = pre.querySelector('code')
  for (const element of [inside, pre, around]) {
    const name =
      /(?:^|\s)(?:language-|lang-|highlight-(?:source|text)-|brush:\s*)([\w+#.-]{1,30})/i.exec(
        element?.className ?? '',
      )?.[1]
    if (name !== undefined) return name.toLowerCase()
  }
  return ''
}
