import * as z from 'zod'
import { bytesOf } from './names.ts'

const longestPathBytes = 4096 + 'workspace/'.length
const longestNameBytes = 255

/** A path below the data, as the names in it. */
export const pathSchema = z
  .string()
  .refine((path) => Buffer.byteLength(path) <= longestPathBytes, 'is too long')
  .transform((path) => path.split('/'))
  .refine((names) => names.every(isName), 'must be relative, without “.”, “..” or empty segments')

function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) return false
  return bytesOf(name).length <= longestNameBytes
}
