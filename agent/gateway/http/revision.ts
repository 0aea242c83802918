import { invalid } from './problem.ts'

/**
 * The revision that a change belongs to, of `?revision=`; none for a change by hand.
 * @throws Problem 400 for anything but a whole number
 */
export function readRevision(url: string | undefined): number | undefined {
  const text = new URLSearchParams(url?.split('?')[1]).get('revision')
  if (text === null) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalid('revision', 'revision must be a whole number from 0')
}
