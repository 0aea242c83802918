import { reference, usersOf } from './data.ts'
import { Method } from './method.tsx'
import { SchemaView } from './schema.tsx'
import { Words } from './words.tsx'

/** Shows a named schema and the operations that use it. */
export function SchemaPage({ name }: { name: string }) {
  const users = usersOf(name)
  return (
    <article class="stack narrow">
      <h1 tabIndex={-1}>{name}</h1>
      <SchemaView schema={reference.schemas[name] ?? {}} />
      {users.length > 0 && (
        <section>
          <h2>Used by</h2>
          <ul class="links">
            {users.map(({ id, method, summary }) => (
              <li key={id}>
                <a href={`#${id}`}>
                  <Method method={method} />
                  <span>
                    <Words text={summary} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </article>
  )
}
