import { createRequire } from 'node:module'
import { type Expressions, remembering } from './parsed.ts'
import { isPlain } from './plain.ts'
import type { ParsedUpdate } from './requests.ts'
import type { TableSchema } from './table.ts'
import type { Item, Path } from './values.ts'

/**
 * Types for the part of dynalite 4 that this engine uses: its expression grammars and its request validation, which have
 * DynamoDB's own messages. Its LevelDB storage stays unused.
 */

/** An error that dynalite returns or throws, with the body that DynamoDB sends. */
export interface Failure extends Error {
  body: { __type: string; message?: string; Message?: string }
}

type Verdict = Failure | null | undefined

/** Checks a request beyond the types of its members, and parses its expressions. Returns an error message. */
export type CustomCheck = (data: never, store: ValidationStore) => string | undefined

export interface ValidationStore {
  options: { maxItemSize: number }
}

/** The schema of a request. */
export interface Rule {
  types: Record<string, string | object>
  custom?: CustomCheck
}

interface Db {
  /** Returns text with the same order as the numbers or binaries. */
  toLexiStr(value: string, type: 'N' | 'B'): string
  validateKey(key: Item, table: TableSchema): Verdict
  validateItem(item: Item, table: TableSchema): Verdict
  validateUpdates(legacy: undefined, update: ParsedUpdate | undefined, table: TableSchema): Verdict
  validateKeyPaths(nestedPaths: Record<string, true> | undefined, table: TableSchema): Verdict
  /** Returns the attributes of an item that a projection names. */
  mapPaths(paths: readonly Path[], item: Item): Item
  compare(operator: 'GT', low: object, high: object): boolean
}

interface Validations {
  /** Keeps the known members of `data`. @throws Failure if a member has the wrong JSON type */
  checkTypes(data: object, types: Rule['types']): object
  /** @throws Failure if a constraint or the operation's own check fails */
  checkValidations(
    data: object,
    types: Rule['types'],
    custom: CustomCheck | undefined,
    store: ValidationStore,
  ): void
  /** Returns the error in a value, if there is one, and rewrites numbers in plain notation. */
  validateAttributeValue(value: object): string | undefined
  validateExpressions(data: Expressions): string | undefined
}

const require = createRequire(import.meta.url)

const db = require('dynalite/db') as Db
const validations = require('dynalite/validations') as Validations

// dynalite's rules look up both functions in the module on each request, so these replacements take effect.
const ofAnyValue = validations.validateAttributeValue
validations.validateAttributeValue = (value) => (isPlain(value) ? undefined : ofAnyValue(value))
validations.validateExpressions = remembering({ ...validations, compare: db.compare })

export const { toLexiStr, validateKey, validateItem, validateUpdates, validateKeyPaths, mapPaths } =
  db

export const { checkTypes, checkValidations, validateAttributeValue } = validations

/** Returns the rule of one operation by dynalite's name for it. */
export function ruleOf(operation: string): Rule {
  return require(`dynalite/validations/${operation}`) as Rule
}
