// A reporter of `node --test`: the outcome of every test by its file and its names, as one line of JSON.
//
// The tests run in processes of their own, so it is not they who write this. A file that ends badly as a whole, or
// that cannot be loaded, is an error; one without a test is nothing. Equal names get a number.

const work = `${process.cwd()}/`
const inside = (path) => (path?.startsWith(work) ? path.slice(work.length) : path)

export default async function * report(events) {
  const [outcomes, errors, names, seen] = [{}, {}, [], new Map()]
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      names.length = data.nesting
      names[data.nesting] = data.name
    } else if (type === 'test:pass' || type === 'test:fail') {
      const file = inside(data.file)
      const failed = type === 'test:fail' && data.todo === undefined
      if (data.nesting === 0 && inside(data.name) === file) {
        if (failed) errors[file] = String(data.details?.error?.message ?? 'it cannot be run')
      } else if (data.details?.type !== 'suite' || failed) {
        const id = [file, ...names.slice(0, data.nesting), data.name].join('::')
        const number = (seen.get(id) ?? 0) + 1
        seen.set(id, number)
        const skipped = data.skip !== undefined || data.todo !== undefined
        outcomes[number > 1 ? `${id} #${number}` : id] = failed ? 'failed' : skipped ? 'skipped' : 'passed'
      }
    }
  }
  yield JSON.stringify({ outcomes, errors, places: {}, cpu_s: 0 })
}
