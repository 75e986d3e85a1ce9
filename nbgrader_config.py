c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "jaxercise"
