import * as z from 'zod'
import { channels } from '#shared/manifest/channels.ts'
import { modelFamilies } from '#shared/manifest/model-families.ts'
import type { SettingKind } from '#shared/manifest/settings/types.ts'
import { routingForm } from '../model-routing.ts'

/** A host name or address as in a URL, and a port. */
const hostPort = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]):[1-9]\d{0,4}$/

const text = () => z.string().min(1)
const list = () => z.string().transform(parts)
const lowerCaseList = () => z.string().transform((value) => parts(value.toLowerCase()))
const url = () =>
  z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, ''))

/**
 * The schema of each kind of setting. Schemas are created only for settings with a value: creating all of them would
 * add an eighth to the import time of every cold start.
 */
export const kinds = {
  address: () => z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'),
  channels: () =>
    lowerCaseList()
      .transform((each) => (each.join() === 'none' ? [] : each))
      .refine(
        (each) => each.every((name) => Object.hasOwn(channels, name)),
        `must be names of ${Object.keys(channels).join(', ')} with commas between them, or none`,
      ),
  count: () => z.coerce.number().int().min(1).max(1000),
  email: () => z.string().includes('@'),
  emails: () =>
    lowerCaseList().refine(
      (each) => each.every((email) => email.includes('@')),
      'must be email addresses',
    ),
  flag: () => z.enum(['true', 'false']).transform((value) => value === 'true'),
  'host-ports': () =>
    lowerCaseList().refine(
      (each) => each.every(isHostPort),
      'must be host:port, separated by commas',
    ),
  hosts: () =>
    lowerCaseList().refine(
      (each) => each.every(isHost),
      'must be hosts, with :port unless it is 443, separated by commas',
    ),
  /** Issuers are compared character by character, including the last slash. */
  issuer: () => z.url({ protocol: /^https?$/ }),
  key: () => z.string().min(32),
  list,
  milliseconds: () => z.coerce.number().int().min(1).max(900_000),
  percent: () => z.coerce.number().int().min(0).max(100),
  'plan-counts': () =>
    z
      .string()
      .regex(
        /^(?:(?:^|,)(?:label|solo|collective|network)=(?:\d{1,2}|100))+$/,
        'must be plan=count, each count at most 100, separated by commas',
      )
      .transform(toCounts),
  'plan-usd': () =>
    z
      .string()
      .regex(
        /^(?:(?:^|,)(?:label|solo|collective|network)=\d{1,6}(?:\.\d{1,2})?)+$/,
        'must be plan=dollars, separated by commas',
      )
      .transform(toCounts),
  'plan-models': () =>
    json(
      z.strictObject({
        label: models(3),
        solo: models(5),
        collective: models(7),
        further: z
          .strictObject({
            label: furtherModels(),
            solo: furtherModels(),
            collective: furtherModels(),
          })
          .optional(),
      }),
      'must be JSON: {"label": […3 ids], "solo": […5 ids], "collective": […7 ids]}',
    ),
  'plan-routing': () => {
    const routing = routingForm().optional()
    return json(
      z.strictObject({ label: routing, solo: routing, collective: routing, network: routing }),
      'must be JSON: {"solo": {"order": ["name"], "weights": {"name": 1}, "maxPriceUsd": {"output": 15}}}',
    )
  },
  'task-models': () =>
    json(
      z.strictObject({
        reasoning: models(3),
        coding: models(3),
        fast: models(3),
        creative: models(3),
      }),
      'must be JSON: {"reasoning": […3 ids], "coding": […], "fast": […], "creative": […]}',
    ),
  'demo-models': () =>
    z
      .string()
      .transform((value) => (/^\s*[[{]/.test(value) ? parsed(value) : parts(value)))
      .refine((value) => models(6).safeParse(value).success, 'must be six different ids of models')
      .transform((value) => value as string[]),
  /** Stored as text, because a binary floating-point number cannot represent an amount exactly. */
  price: () =>
    z
      .string()
      .regex(/^\d{1,6}(?:\.\d{1,6})?$/, 'must be a number with at most 6 decimals')
      .refine((value) => Number(value) > 0, 'must be above 0'),
  providers: () =>
    text().refine(
      namesProviders,
      'must be JSON: {"name": {"baseUrl": "…", "apiKey": "…", "speaks": ["chat", …]}}',
    ),
  'model-families': () => list().pipe(z.array(z.enum(modelFamilies)).min(1)),
  'remote-url': url,
  seconds: () => z.coerce.number().min(0).max(86_400),
  switch: () => z.enum(['on', 'off']),
  text,
  'token-units': () => z.coerce.bigint().min(1n),
  url,
  usd: () => z.coerce.number().min(0).max(1_000_000),
  'webhook-secret': () =>
    z.string().regex(/^whsec_[\w+/-]{4,}={0,2}$/, 'must be whsec_ and a key in base64'),
  whole: () => z.coerce.number().int().min(1),
} satisfies Record<SettingKind, () => z.ZodType>

function isHostPort(value: string): boolean {
  return hostPort.test(value) && URL.canParse(`http://${value}`)
}

/** Returns whether the value is a host in the form that https URLs contain. */
function isHost(value: string): boolean {
  return URL.parse(`https://${value}`)?.host === value
}

/** Returns the schema of `count` different model ids. */
function models(count: number) {
  return z
    .array(z.string().trim().min(1).max(200))
    .length(count)
    .refine((ids) => new Set(ids).size === count)
}

/** Returns the schema of any number of different model ids. */
function furtherModels() {
  return z
    .array(z.string().trim().min(1).max(200))
    .refine((ids) => new Set(ids).size === ids.length)
    .default([])
}

/** Returns the schema of JSON text with this form. */
function json<T extends z.ZodType>(form: T, message: string) {
  return z
    .string()
    .transform(parsed)
    .refine((value) => form.safeParse(value).success, message)
    .transform((value) => value as z.output<T>)
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** Checks only the form; the AI gateway checks the content. */
function namesProviders(value: string): boolean {
  const provider = z.looseObject({
    baseUrl: z.url().optional(),
    limitField: z.enum(['max_tokens', 'max_completion_tokens', 'both']).optional(),
    speaks: z.array(z.enum(modelFamilies)).optional(),
    models: z.record(z.string(), z.string()).optional(),
  })
  try {
    return z.record(z.string(), provider).safeParse(JSON.parse(value)).success
  } catch {
    return false
  }
}

function toCounts(value: string): Readonly<Record<string, number | undefined>> {
  const pairs = parts(value).map((pair) => pair.split('='))
  return Object.fromEntries(pairs.map(([plan = '', count]) => [plan, Number(count)]))
}

function parts(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
