import * as z from 'zod'

type JsonSchema = Record<string, unknown>

/**
 * Writes schemas as JSON Schema. Schemas with a name, from zod's `.meta({ id: 'Agent' })`, become references to
 * `components`; a name is unique within the document of a surface.
 */
export class Schemas {
  readonly components: Record<string, object> = {}

  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const written = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema: { pattern } }) => {
        if (pattern !== undefined) checkPattern(pattern)
      },
    })
    const { $schema: _, $defs = {}, ...root } = lifted(written) as JsonSchema & { $defs?: object }
    for (const [name, one] of Object.entries($defs)) this.#add(name, one as JsonSchema)
    const name = z.globalRegistry.get(schema)?.id
    if (name === undefined) return root
    if (root.$ref === undefined) this.#add(name, root)
    return { $ref: `#/components/schemas/${name}` }
  }

  #add(name: string, schema: JsonSchema): void {
    const known = this.components[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas have the name ${name}`)
    this.components[name] = schema
  }
}

/**
 * Programs compile patterns with or without the flag `u` of ECMA-262, and a pattern must mean the same in both cases.
 * @throws SyntaxError for a pattern that does not compile, Error for an escape that only `u` allows
 */
function checkPattern(pattern: string): void {
  const forms = ['', 'u'].map((flags) => new RegExp(pattern, flags).source)
  if (forms.some((form) => /\\(?:u\{|p\{|k<)/i.test(form)))
    throw new Error(`The pattern ${pattern} has another meaning without the flag u`)
}

/** Points a schema's references to the document's components. */
function lifted(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  ) as object
}
