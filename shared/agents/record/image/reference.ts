import * as z from 'zod'

/** The grammar of the reference implementation of OCI registries (distribution/reference), limited to SHA-2 digests. */
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const label = '(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])'
const host = `(?:${label}(?:\\.${label})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]{1,5})?`
const name = `(?:${host}/)?${component}(?:/${component})*`
const digest = '(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})'
const reference = new RegExp(`^${name}(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@${digest})?$`)

/** The maximum length of image names in ECS. */
const longest = 255

/** A container image by tag, digest or both. */
export const imageReference = z
  .string()
  .max(longest)
  .regex(reference, 'image is not an image reference, such as registry.example/agent:1.2.3')
