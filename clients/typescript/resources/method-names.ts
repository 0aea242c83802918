import { Resource } from './resource.ts'

/** Returns the names of a resource's methods and parts in source order, inherited ones last. */
export function namesOf(resource: Resource): string[] {
  const objects: object[] = [resource]
  let inherited = Object.getPrototypeOf(resource) as object
  for (; inherited !== Resource.prototype; inherited = Object.getPrototypeOf(inherited) as object)
    objects.push(inherited)
  return objects.flatMap(Object.getOwnPropertyNames).filter((name) => name !== 'constructor')
}
