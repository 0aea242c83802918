import { createRequire } from 'node:module'
import { type Expressions, remembering } from './parsed.ts'
import { isPlain } from './plain.ts'
import type { ParsedUpdate } from './requests.ts'
import type { TableSchema } from './table.ts'
import type { Item, Path } from './values.ts'

/**
 * The part of dynalite 4 this engine stands on, with types: its expression grammars and its
 * request validation, which carry DynamoDB's own messages. Its LevelDB storage stays unopened.
 */

/** An error as dynalite returns or throws it, with the body DynamoDB sends. */
export interface Failure extends Error {
  body: { __type: string; message?: string; Message?: string }
}

type Verdict = Failure | null | undefined

/** Says what is wrong with a request beyond its members' types, and parses its expressions. */
export type CustomCheck = (data: never, store: ValidationStore) => string | undefined

export interface ValidationStore {
  options: { maxItemSize: number }
}

/** What a request may contain. */
export interface Rule {
  types: Record<string, string | object>
  custom?: CustomCheck
}

interface Db {
  /** Text whose order is the order of the numbers or binaries. */
  toLexiStr(value: string, type: 'N' | 'B'): string
  validateKey(key: Item, table: TableSchema): Verdict
  validateItem(item: Item, table: TableSchema): Verdict
  validateUpdates(legacy: undefined, update: ParsedUpdate | undefined, table: TableSchema): Verdict
  validateKeyPaths(nestedPaths: Record<string, true> | undefined, table: TableSchema): Verdict
  /** The parts of an item that a projection names. */
  mapPaths(paths: readonly Path[], item: Item): Item
  compare(operator: 'GT', low: object, high: object): boolean
}

interface Validations {
  /** Keeps the known members of `data`, or throws a Failure when one has the wrong JSON type. */
  checkTypes(data: object, types: Rule['types']): object
  /** Throws a Failure when a constraint, or the operation's own check, does not hold. */
  checkValidations(
    data: object,
    types: Rule['types'],
    custom: CustomCheck | undefined,
    store: ValidationStore,
  ): void
  /** The message of what is wrong with a value, if anything is; puts numbers in plain notation. */
  validateAttributeValue(value: object): string | undefined
  validateExpressions(data: Expressions): string | undefined
}

const require = createRequire(import.meta.url)

const db = require('dynalite/db') as Db
const validations = require('dynalite/validations') as Validations

// dynalite's rules look both functions up in the module at each request, so what is put there is what they call.
const ofAnyValue = validations.validateAttributeValue
validations.validateAttributeValue = (value) => (isPlain(value) ? undefined : ofAnyValue(value))
validations.validateExpressions = remembering({ ...validations, compare: db.compare })

export const { toLexiStr, validateKey, validateItem, validateUpdates, validateKeyPaths, mapPaths } =
  db

export const { checkTypes, checkValidations, validateAttributeValue } = validations

/** The rule of one operation, by dynalite's name for it. */
export function ruleOf(operation: string): Rule {
  return require(`dynalite/validations/${operation}`) as Rule
}
