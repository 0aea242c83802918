import type { ElementAttributes } from '../fields.ts'
import { integrationPoints, is, kindOf } from './elements.ts'
import type { OpenElements } from './open-elements.ts'

/** Reports whether a start tag ends svg or math: 13.2.6.5. */
export function breaksOut(name: string, attributes: ElementAttributes | undefined): boolean {
  if (name === 'font')
    return ['color', 'face', 'size'].some((each) => attributes?.[each] !== undefined)
  return (kindOf(name) & is.breakout) !== 0
}

/** Closes foreign elements up to the nearest element with HTML content. */
export function leaveForeign(open: OpenElements): void {
  while (!open.top.isHtmlInside) open.pop()
}

/** Opens svg or math, or an element inside them. */
export function openForeign(
  open: OpenElements,
  name: string,
  attributes: ElementAttributes | undefined,
): ReturnType<OpenElements['push']> {
  const { namespace: around, isHtmlInside } = open.top
  const namespace = isHtmlInside || around === 'html' ? (name === 'svg' ? 'svg' : 'math') : around
  const isIntegration =
    integrationPoints[namespace].has(name) ||
    (name === 'annotation-xml' &&
      /^(?:text\/html|application\/xhtml\+xml)$/i.test(attributes?.encoding ?? ''))
  return open.push(name, namespace, isIntegration)
}

/** @returns whether the end tag was one of svg or math */
export function closeForeign(open: OpenElements, name: string): boolean {
  const { namespace, html } = open.top
  const element = namespace === 'html' ? undefined : open.last(name, namespace)
  if (element === undefined || element.depth < html) return false
  open.popThrough(element)
  return true
}
