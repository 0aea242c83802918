import type { Inputs } from '../harness/mocks.ts'

export interface Resource {
  type: string
  /** The logical name. */
  name: string
  inputs: Inputs
}

export interface Stage {
  name: string
  resources: readonly Resource[]
}

/** A rule of AWS: a deployment that breaks it fails. The type checker and Pulumi's mocks do not know it. */
export interface Rule {
  rule: string
  /** The page of the rule, or of AWS's answer. */
  source: string
  /** Returns a line for each breach by stages that share one account and region. */
  breaches(stages: readonly Stage[]): string[]
  /** Stages that break the rule. They show that the rule can fail. */
  refuses: readonly (readonly Stage[])[]
  /** Returns the number of values that the rule checks. A rule without values could not fail. */
  checks(stages: readonly Stage[]): number
}

/** Returns a resource of a counter-example. */
export function resource(type: string, inputs: Inputs, name = 'Example'): Resource {
  return { type, name, inputs }
}

/** Returns an array of equal values. */
export function many(count: number, value: unknown): unknown[] {
  return Array.from({ length: count }, () => value)
}

/** Returns a stage of a counter-example. */
export function stage(resources: readonly Resource[], name = 'example'): Stage {
  return { name, resources }
}

export function ofType(stages: readonly Stage[], ...types: readonly string[]): Resource[] {
  return stages.flatMap(({ resources }) => resources.filter(({ type }) => types.includes(type)))
}

/** Returns the values at a path: `origins[].domainName` has one for each origin. Absent values are left out. */
function valuesAt(value: unknown, path: string): unknown[] {
  const [first = '', ...rest] = path.split('.')
  const key = first.replace('[]', '')
  const found = (value as Inputs | undefined)?.[key]
  const values = first.endsWith('[]') ? ((found ?? []) as unknown[]) : [found]
  return values
    .filter((each) => each !== undefined)
    .flatMap((each) => (rest.length === 0 ? [each] : valuesAt(each, rest.join('.'))))
}

interface Property {
  /** Several types if they share the rule. */
  type: string | readonly [string, ...string[]]
  /** A path: `origins[].domainName`. */
  property: string
  /** The requirement in words. Default: the pattern. */
  rule?: string
  /** A pattern of the whole text, or a predicate. */
  allows: RegExp | ((value: unknown) => boolean)
  /** Values that the rule must refuse. */
  refuses: readonly [unknown, ...unknown[]]
  source: string
  /** Pulumi generates the value from the logical name if it is absent. */
  generated?: true
}

/** The characters that Pulumi adds to a logical name, as an example: https://www.pulumi.com/docs/iac/concepts/resources/names/ */
const generatedEnd = '-0123abc'

/** A rule of each value of a property. */
export function property(given: Property): Rule {
  const { type, property: path, allows, rule = `matches ${String(allows)}`, refuses } = given
  const { source, generated } = given
  const fits = (value: unknown) =>
    allows instanceof RegExp ? allows.test(String(value)) : allows(value)
  const valuesOf = ({ name, inputs }: Resource) => {
    const values = valuesAt(inputs, path)
    return generated && values.length === 0 ? [`${name}${generatedEnd}`] : values
  }
  const types = typeof type === 'string' ? ([type] as const) : type
  return {
    rule: `${types.map(shortened).join(', ')}.${path} ${rule}`,
    source,
    breaches: (stages) =>
      stages.flatMap((own) =>
        ofType([own], ...types).flatMap((one) =>
          valuesOf(one)
            .filter((value) => !fits(value))
            .map((value) => `${own.name}: ${path} of ${one.name} is ${JSON.stringify(value)}`),
        ),
      ),
    checks: (stages) => ofType(stages, ...types).flatMap(valuesOf).length,
    refuses: refuses.map((value) => [stage([resource(types[0], withValue(path, value))])]),
  }
}

/** `aws:sqs/queue:Queue` is Queue. */
function shortened(type: string): string {
  return type.split(':').at(-1) ?? type
}

/** Returns inputs with one value at a path. */
function withValue(path: string, value: unknown): Inputs {
  const [first = '', ...rest] = path.split('.')
  const inner = rest.length === 0 ? value : withValue(rest.join('.'), value)
  return first.endsWith('[]') ? { [first.slice(0, -2)]: [inner] } : { [first]: inner }
}

type Allowed = Pick<Property, 'rule' | 'allows'>

/** Returns a rule of numbers. Both bounds are allowed. */
export function between(least: number, most: number): Allowed {
  return {
    rule: `is from ${least} to ${most}`,
    allows: (value) => Number(value) >= least && Number(value) <= most,
  }
}

/** Returns a rule of values that are listed. */
export function oneOf(values: readonly unknown[]): Allowed {
  return { rule: `is one of ${values.join(', ')}`, allows: (value) => values.includes(value) }
}

/** A rule of each resource of one type. */
export function each(
  type: string,
  given: {
    rule: string
    source: string
    /** Returns what is wrong with a resource, undefined if nothing is. */
    breach(resource: Resource, stage: Stage): string | undefined
    refuses: readonly (readonly [Resource, ...Resource[]])[]
  },
): Rule {
  return {
    rule: given.rule,
    source: given.source,
    breaches: (stages) =>
      stages.flatMap((own) =>
        ofType([own], type).flatMap((one) => {
          const breach = given.breach(one, own)
          return breach === undefined ? [] : [`${own.name}: ${one.name} ${breach}`]
        }),
      ),
    checks: (stages) => ofType(stages, type).length,
    refuses: given.refuses.map((resources) => [stage(resources)]),
  }
}

/** A quota of an account in a region. */
export function quota(given: {
  rule: string
  type: string
  most: number
  /** The amount that other applications of the account use. */
  others: number
  source: string
}): Rule {
  const { rule, type, most, others, source } = given
  const used = (stages: readonly Stage[]) => ofType(stages, type).length + others
  const half = Math.ceil((most - others + 1) / 2)
  return {
    rule: `${rule}: at most ${most}`,
    source,
    breaches: (stages) =>
      used(stages) > most ? [`${used(stages)}, ${others} of them by other applications`] : [],
    checks: (stages) => ofType(stages, type).length,
    // Each of the two stages fits alone.
    refuses: [
      [1, 2].map((part) =>
        stage(
          Array.from({ length: half }, (_, i) => resource(type, {}, `Example${i}`)),
          `example-${part}`,
        ),
      ),
    ],
  }
}

/** A quota of children that a resource may have. */
export function children(given: {
  rule: string
  type: string
  /** The property that names the parent. */
  parent: string
  most: number
  source: string
}): Rule {
  const { rule, type, parent, most, source } = given
  const groups = (stages: readonly Stage[]) =>
    stages.flatMap((own) =>
      [...Map.groupBy(ofType([own], type), ({ inputs }) => String(inputs[parent]))].map(
        ([of, members]) => ({ stage: own.name, of, count: members.length }),
      ),
    )
  return {
    rule: `${rule}: at most ${most}`,
    source,
    breaches: (stages) =>
      groups(stages)
        .filter(({ count }) => count > most)
        .map(({ stage: name, of, count }) => `${name}: ${of} has ${count}`),
    checks: (stages) => groups(stages).length,
    refuses: [
      [
        stage(
          Array.from({ length: most + 1 }, (_, i) =>
            resource(type, { [parent]: 'one' }, `Example${i}`),
          ),
        ),
      ],
    ],
  }
}

/** A name that no two resources of an account may share, also in different stages. */
export function unique(given: {
  type: string
  property: string
  source: string
  /** The properties that names are unique within. Default: the account. */
  within?: readonly string[]
}): Rule {
  const { type, property: path, source, within = [] } = given
  const named = (stages: readonly Stage[]) =>
    stages.flatMap((own) =>
      ofType([own], type).flatMap(({ name, inputs }) =>
        valuesAt(inputs, path).map((value) => ({
          // Parents of two stages have the same id under the mocks.
          key: JSON.stringify([
            value,
            ...within.map((key) => `${own.name} ${String(inputs[key])}`),
          ]),
          who: `${own.name}: ${name}`,
        })),
      ),
    )
  const twice = resource(type, withValue(path, 'one'))
  return {
    rule: `no two ${shortened(type)} have the same ${path}`,
    source,
    breaches: (stages) =>
      [...Map.groupBy(named(stages), ({ key }) => key)]
        .filter(([, members]) => members.length > 1)
        .map(([key, members]) => `${key}: ${members.map(({ who }) => who).join(', ')}`),
    checks: (stages) => named(stages).length,
    refuses: [
      within.length > 0
        ? [stage([twice, twice])]
        : [stage([twice], 'example-1'), stage([twice], 'example-2')],
    ],
  }
}
