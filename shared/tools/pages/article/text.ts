import { is, kindOf } from '../html/elements.ts'
import { type DomElement, walk } from './dom.ts'

/** Returns the text of an element, with a line break for `br` and between blocks. */
export function textOf(element: DomElement): string {
  const parts: string[] = []
  let isOpenLine = false
  const breakLine = () => {
    if (isOpenLine) parts.push('\n')
    isOpenLine = false
  }
  for (const { kind, node } of walk(element)) {
    if (kind === 'text') {
      parts.push(node.textContent)
      if (node.textContent !== '') isOpenLine = !node.textContent.endsWith('\n')
      continue
    }
    const name = node.nodeName.toLowerCase()
    if (name === 'br') {
      if (kind === 'begin') parts.push('\n')
      isOpenLine = false
    } else if ((kindOf(name) & is.border) !== 0) breakLine()
  }
  return parts.join('')
}
