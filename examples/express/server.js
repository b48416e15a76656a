// A small API with what Tessera needs of an origin: the manifest, and the collection restricted to some ids.
//   node server.js [PORT]
const express = require('express');

const MANIFEST = 'application/vnd.tessera.manifest+json';
const app = express();
const courses = new Map();
for (let id = 1; id <= 20; id++) courses.set(id, { id, title: `Course ${id}`, minutes: id * 5, version: 1 });

app.get('/courses', (request, response) => {
  const ids = request.query.ids && request.query.ids.split(',');
  const list = [...courses.values()].filter((course) => !ids || ids.includes(String(course.id)));
  response.vary('Accept');
  if (request.accepts(['json', MANIFEST]) === MANIFEST) {
    const records = list.map((course) => [course.id, String(course.version)]);
    return response.type(MANIFEST).send(JSON.stringify({ schema: '1', records }));
  }
  response.json({ courses: list.map(({ id, title, minutes }) => ({ id, title, minutes })) });
});

app.put('/courses/:id', express.json(), (request, response) => {
  const course = courses.get(Number(request.params.id));
  if (!course) return response.status(404).json({ title: 'no such course' });
  Object.assign(course, { title: String(request.body.title), version: course.version + 1 });
  response.json(course);
});

const server = app.listen(Number(process.argv[2] || 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
